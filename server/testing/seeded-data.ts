import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { freePort } from '#server/database/embedded.ts'
import { isReady, MAIN, startNode, stop } from '#server/process/testing.ts'
import { waitUntil } from './wait-until.ts'

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const CACHE = `${ROOT}node_modules/.cache/countersign-seeds`
const SOURCES = ['package-lock.json', '{server,lib}/**/*.{ts,mjs,sql}']

/**
 * Returns the path of a data folder as the first start of a sandbox leaves it, with its seeds. Makes it with a real first start whenever
 * a source changed, which takes more than ten seconds, and keeps it for later runs.
 */
export async function prepareSeededData(): Promise<string> {
  const template = path.join(CACHE, digestOfSources())
  if (existsSync(template)) return template
  const folder = await mkdtemp(path.join(tmpdir(), 'countersign-seeds-'))
  try {
    // PostgreSQL may run as another user.
    await chmod(folder, 0o755)
    await startOnce(path.join(folder, 'data'))
    await mkdir(CACHE, { recursive: true })
    const outdated = await readdir(CACHE)
    const incomplete = `${template}-${process.pid}`
    await copy(path.join(folder, 'data'), incomplete)
    await rename(incomplete, template)
    for (const name of outdated) await rm(path.join(CACHE, name), { recursive: true, force: true })
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  return template
}

/** Copies the seeded data folder to a path that does not exist yet: a service that starts there has its seeds already. */
export async function copySeededData(dataFolder: string): Promise<void> {
  const template = process.env['TEST_SEEDED_DATA']
  if (template === undefined) throw new Error('TEST_SEEDED_DATA is missing: run tests with `npm run test:server -- <files>`')
  await copy(template, dataFolder)
}

/** True for a test file that calls copySeededData. */
export function usesSeededData(text: string): boolean {
  return text.includes('/seeded-data.ts')
}

/** Owners and modes are kept, which PostgreSQL checks. */
async function copy(from: string, to: string): Promise<void> {
  await run('cp', ['-a', from, to])
}

async function startOnce(dataFolder: string): Promise<void> {
  const port = await freePort()
  const service = startNode([MAIN], { NODE_ENV: 'development', PORT: String(port), DATA_DIR: dataFolder, LOG_LEVEL: 'fatal' })
  try {
    await waitUntil('the sandbox is seeded', async () => service.child.exitCode !== null || (await isReady(port)), {
      limitMs: 120_000,
      pauseMs: 100,
    })
    if (service.child.exitCode !== null) throw new Error(`The sandbox did not start: ${service.output()}`)
  } finally {
    await stop(service)
  }
}

function digestOfSources(): string {
  const digest = createHash('sha256')
  for (const file of globSync(SOURCES, { cwd: ROOT }).sort()) {
    if (/\.test\.ts$|\/testing(\/|\.ts$)/.test(file)) continue
    digest.update(`${file}\n`).update(readFileSync(path.join(ROOT, file)))
  }
  return digest.digest('hex').slice(0, 16)
}
