import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { waitUntil } from '#server/testing/wait-until.ts'
import { ROOT, startService } from './start-service.ts'

const run = promisify(execFile)
const CACHE = `${ROOT}node_modules/.cache/countersign-seeds`
const SOURCES = ['package-lock.json', '{server,lib}/**/*.{ts,mjs,sql}']

const MADE_WITHIN_MS = 180_000

/** The place where `prepareSeededData` puts the data folder that belongs to the present sources. */
export function seededDataPath(): string {
  return path.join(CACHE, digestOfSources())
}

/**
 * Makes a data folder at this path, as the first start of a sandbox leaves it, with its seeds. It does so with a real first start, which
 * takes more than ten seconds, whenever a source changed, and keeps the folder for later runs.
 */
export async function prepareSeededData(template: string): Promise<void> {
  if (existsSync(template)) return
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
}

/**
 * Copies the seeded data folder to a path that does not exist yet: a service that starts there has its seeds already. Waits for it, because
 * the test runner makes it while other files run.
 */
export async function copySeededData(dataFolder: string): Promise<void> {
  const template = process.env['TEST_SEEDED_DATA']
  if (template === undefined) throw new Error('TEST_SEEDED_DATA is missing: run tests with `npm run test:server -- <files>`')
  await waitUntil('the seeded data folder is made', async () => existsSync(template), { limitMs: MADE_WITHIN_MS, pauseMs: 100 })
  await copy(template, dataFolder)
}

/** True for a test file that calls copySeededData, itself or through the harness of launchers. */
export function usesSeededData(text: string): boolean {
  return /\/(seeded-data|launcher-harness)\.ts/.test(text)
}

/** Owners and modes are kept, which PostgreSQL checks. */
async function copy(from: string, to: string): Promise<void> {
  await run('cp', ['-a', from, to])
}

async function startOnce(dataFolder: string): Promise<void> {
  const service = await startService({ environment: { NODE_ENV: 'development', DATA_DIR: dataFolder, LOG_LEVEL: 'fatal' } })
  await service.stop()
}

function digestOfSources(): string {
  const digest = createHash('sha256')
  for (const file of globSync(SOURCES, { cwd: ROOT }).sort()) {
    if (/\.test\.ts$|\/testing(\/|\.ts$)/.test(file)) continue
    digest.update(`${file}\n`).update(readFileSync(path.join(ROOT, file)))
  }
  return digest.digest('hex').slice(0, 16)
}
