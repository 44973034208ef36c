// Plain JavaScript for the machine's own Node 20: it runs before anything is installed.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** The checkout that this file belongs to. */
export const ROOT = realpathSync(path.join(path.dirname(fileURLToPath(import.meta.url)), '..'))
/** The Node that package.json pins. */
export const PINNED_NODE = path.join(ROOT, 'node_modules/node/bin/node')

/** A program of its own: only the pinned Node strips types. */
const STRIP_ALL = `import(${JSON.stringify(new URL('./process/strip-types.mjs', import.meta.url).href)}).then(({ stripAll }) => stripAll())`
const BUILD_STAMP = path.join(ROOT, '.next/countersign-build')
const BUILD_FOLDERS = ['app', 'components', 'lib', 'server']
const BUILD_FILES = [
  'next.config.ts',
  'postcss.config.mjs',
  'tsconfig.json',
  'package.json',
  'package-lock.json',
  'proxy.ts',
  'instrumentation.ts',
]
/** The process around the pages: a change there needs no build. */
const NOT_IN_PAGES = /^server\/(testing|process|sandbox|admin)\/|^server\/(main|runtime|verify|admin)\.ts$/
const OUR_SECRETS =
  /^(DATABASE_URL|DATABASE_REPLICA_URL|TOKEN_SECRET|SESSION_SECRET|NEXTAUTH_SECRET|SECRETS_KEY.*|METRICS_TOKEN|OPERATOR.*)$/
const DIGEST = createHash('sha256').update(ROOT).digest('hex').slice(0, 16)
/** Which process group installs or builds here, so that one a killed launcher left behind can be ended. */
const CHILD_FILE = path.join(tmpdir(), `countersign-${process.getuid?.() ?? 0}-${DIGEST}.child`)

let childGroup

/**
 * Installs the dependencies and builds the pages, each only when it has to. One process at a time does this in one
 * checkout; another waits for it. For production it installs nothing that only builds and tests need, and builds nothing: what it runs
 * was built by `npm run build`, here or elsewhere. Throws an Error with one sentence when it cannot.
 */
export async function prepare(say, { isProduction = false } = {}) {
  const unlock = await lockCheckout(say)
  try {
    if (!isInstalled(isProduction)) {
      say('Installing the dependencies (about a minute, only this once) …')
      await run(
        'npm',
        ['ci', isProduction ? '--omit=dev' : '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'],
        // A package of the linters reports installations to its maker unless it is told not to; so does package.json.
        { ...environmentOfTheMachine(), SCARF_ANALYTICS: 'false' },
        'The dependencies could not be installed',
      )
      if (!isInstalled(isProduction)) throw new Error('npm ci ended well, but packages are missing in node_modules.')
    }
    if (!isBuilt()) {
      if (isProduction) throw new Error('The pages are not built: run npm run build, here or where you copy this from, and start again.')
      say('Building the pages (about a minute, only after a change) …')
      rmSync(BUILD_STAMP, { force: true })
      const digest = sourceDigest()
      const environment = { ...environmentOfTheMachine(), NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' }
      await run(PINNED_NODE, [path.join(ROOT, 'node_modules/next/dist/bin/next'), 'build'], environment, 'The pages could not be built')
      writeFileSync(`${BUILD_STAMP}.new`, digest)
      renameSync(`${BUILD_STAMP}.new`, BUILD_STAMP)
    }
    // Also after a change around the pages, which needs no build.
    if (!isProduction) await run(PINNED_NODE, ['-e', STRIP_ALL], environmentOfTheMachine(), 'The types could not be stripped')
  } finally {
    unlock()
  }
}

/** Ends what is being installed or built, with all its children. */
export function endPreparation() {
  if (childGroup) endGroup(childGroup)
}

/** True when node_modules holds what package-lock.json requires, for production without what is there for development. npm writes its own list there last, after a whole install. */
function isInstalled(isProduction) {
  const wanted = readJson(path.join(ROOT, 'package-lock.json'))?.packages
  const present = readJson(path.join(ROOT, 'node_modules/.package-lock.json'))?.packages
  if (!wanted || !present || !existsSync(PINNED_NODE)) return false
  return Object.entries(wanted).every(
    ([name, { version, dev, optional, devOptional }]) =>
      name === '' ||
      (isProduction && dev) ||
      (present[name] ? present[name].version === version : optional === true || devOptional === true),
  )
}

function isBuilt() {
  return existsSync(path.join(ROOT, '.next/BUILD_ID')) && existsSync(BUILD_STAMP) && readFileSync(BUILD_STAMP, 'utf8') === sourceDigest()
}

/** A digest of every file that the build reads. */
function sourceDigest() {
  const digest = createHash('sha256')
  const files = [
    ...BUILD_FOLDERS.flatMap((folder) => filesBelow(path.join(ROOT, folder))),
    ...BUILD_FILES.map((name) => path.join(ROOT, name)),
  ]
  for (const file of files.sort()) {
    if (existsSync(file))
      digest
        .update(`${path.relative(ROOT, file)}\0`)
        .update(readFileSync(file))
        .update('\0')
  }
  return digest.digest('hex')
}

function filesBelow(folder) {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/(\.test\.tsx?|\.md|\.sql|\.mjs)$/.test(entry.name))
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name))
    .filter((file) => !NOT_IN_PAGES.test(path.relative(ROOT, file)))
}

/**
 * Without what npm added: a script of npm must not find the node_modules that it is about to replace. And without our
 * secrets: the install scripts of packages and the build have no business with them.
 */
export function environmentOfTheMachine() {
  const kept = Object.entries(process.env).filter(
    ([name]) =>
      !OUR_SECRETS.test(name) &&
      !/^(npm_(package|lifecycle|command|execpath|node_execpath|config_local_prefix|config_node_gyp)|INIT_CWD$)/.test(name),
  )
  const searchPath = (process.env.PATH ?? '')
    .split(path.delimiter)
    .filter((folder) => !folder.startsWith(ROOT))
    .join(path.delimiter)
  return { ...Object.fromEntries(kept), PATH: searchPath }
}

/** Runs a program in a process group of its own; its output is only shown when it fails. */
function run(program, args, env, failure) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
    childGroup = child.pid
    if (child.pid) noteChild(child.pid)
    const output = []
    child.stdout.on('data', (chunk) => output.push(chunk))
    child.stderr.on('data', (chunk) => output.push(chunk))
    child.once('error', (error) => reject(new Error(`${failure}: ${program} does not start (${error.code}).`)))
    child.once('close', (code) => {
      childGroup = undefined
      forgetChild()
      if (code === 0) return resolve()
      process.stderr.write(Buffer.concat(output))
      reject(new Error(`${failure}; the reason is above.`))
    })
  })
}

/** The lock is a socket name that the kernel frees with the process, however it ends. */
async function lockCheckout(say) {
  for (let attempt = 0; ; attempt++) {
    const server = await bind(`\0countersign-prepare-${DIGEST}`)
    if (server) {
      endLeftoverChild()
      return () => server.close()
    }
    if (attempt === 0) say('Another process is installing or building here; waiting for it …')
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

function bind(name) {
  if (process.platform !== 'linux') return Promise.resolve(createServer())
  return new Promise((resolve, reject) => {
    // biome-ignore lint/plugin/no-silent-error: who connects is not answered, so a connection that breaks loses nothing.
    const server = createServer((socket) => socket.on('error', () => undefined).destroy())
    server.unref()
    server.once('error', (error) => (error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error)))
    server.listen(name, () => resolve(server))
  })
}

/** Every user can write in the folder, so the file is created again each time and never written through another user's link. */
function noteChild(pid) {
  try {
    rmSync(CHILD_FILE, { force: true })
    writeFileSync(CHILD_FILE, String(pid), { flag: 'wx', mode: 0o600 })
  } catch {
    // Ignored: another user has a file of this name there; then a killed launcher's child is not ended, and nothing else is lost.
  }
}

function endLeftoverChild() {
  const pid = readOwnNumber(CHILD_FILE)
  if (!pid) return
  let folder
  try {
    folder = realpathSync(`/proc/${pid}/cwd`)
  } catch {
    // The process has ended.
    folder = undefined
  }
  // The number may meanwhile belong to another user's process.
  if (folder === ROOT) endGroup(pid)
  forgetChild()
}

function forgetChild() {
  try {
    rmSync(CHILD_FILE, { force: true })
  } catch {
    // Ignored: it belongs to another user and must not be removed.
  }
}

/** The number in a file of our own; 0 when there is none, or when it is another user's, who could name any process of ours. */
function readOwnNumber(file) {
  try {
    const stats = lstatSync(file)
    return stats.isFile() && stats.uid === (process.getuid?.() ?? stats.uid) ? Number(readFileSync(file, 'utf8')) : 0
  } catch {
    // No file: nothing was left behind.
    return 0
  }
}

function endGroup(pid) {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // Ignored: it has already ended.
  }
}

function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    // Missing or half written: then it is installed again.
    return undefined
  }
}
