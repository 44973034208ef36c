// `npm start` and `npm run build`: plain JavaScript for the machine's own Node 20. It installs and builds what is missing, then hands over
// to the pinned Node, which runs server/main.ts, and stays to pass signals on and to restart it when it crashes.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { endPreparation, PINNED_NODE, prepare, ROOT } from './prepare.mjs'
import { keepRunning } from './process/children/keep-running.mjs'
import { ALLOCATOR_ENVIRONMENT, NODE_FLAGS } from './process/node-settings.mjs'

/** A Ctrl-C arrives twice, from the terminal and from npm: within this time it is one. */
const SAME_SIGNAL_MS = 500

/** `npm run build`: everything but the start. */
const isBuildOnly = process.argv.includes('--build-only')

let service
let lastSignalAt = 0

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => end(signal))
watchParent()

try {
  demandNode()
  await prepare((line) => console.log(line), { isProduction: isProduction() && !isBuildOnly })
  if (isBuildOnly) process.exit(0)
  service = start()
} catch (error) {
  console.error(error.message)
  process.exit(1)
}

function demandNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major < 20 || (major === 20 && minor < 20)) throw new Error(`Node ${process.versions.node} is too old: 20.20 or newer is needed.`)
}

/** As server/config.ts: SANDBOX decides, then NODE_ENV. */
function isProduction() {
  return process.env.NODE_ENV === 'production' && !['1', 'true', 'on'].includes(process.env.SANDBOX ?? '')
}

function start() {
  return keepRunning({
    program: PINNED_NODE,
    args: [...NODE_FLAGS, `${ROOT}/server/main.ts`, ...process.argv.slice(2)],
    environment: { ...ALLOCATOR_ENVIRONMENT, ...process.env },
    sweep: () => spawnSync(PINNED_NODE, [`${ROOT}/server/process/children/end-leftover.ts`], { stdio: 'ignore', timeout: 20_000 }),
  })
}

function end(signal) {
  const now = Date.now()
  if (now - lastSignalAt < SAME_SIGNAL_MS) return
  lastSignalAt = now
  if (service) return service.end(signal === 'SIGINT' ? 'SIGINT' : 'SIGTERM')
  endPreparation()
  process.exit(130)
}

/** When npm is killed, nobody is left to stop this: the service ends too. */
function watchParent() {
  if (!process.env.npm_lifecycle_event || process.platform !== 'linux') return
  const shell = process.ppid
  const npm = parentOf(shell)
  const hasShellBetween = nameOf(npm).startsWith('npm')
  const watch = setInterval(() => {
    if (process.ppid === shell && (!hasShellBetween || parentOf(shell) === npm)) return
    // Once: a second signal would end the service immediately instead of in order.
    clearInterval(watch)
    end('SIGTERM')
  }, 250).unref()
}

function parentOf(pid) {
  return Number(/^PPid:\s+(\d+)/m.exec(readStatus(pid))?.[1] ?? 0)
}

function nameOf(pid) {
  return pid > 1 ? (/^Name:\s+(.*)/m.exec(readStatus(pid))?.[1] ?? '') : ''
}

function readStatus(pid) {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8')
  } catch {
    // The process has ended.
    return ''
  }
}
