// Runs node:test files against a throw-away PostgreSQL: `npm run test:server -- [file or folder ...]`.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { glob, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { moveToMemory } from './memory-folder.mjs'
import { startTestPostgres } from './postgres.ts'
import { prepareSeededData, seededDataPath, usesSeededData } from './seeded-data.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const REPORTER = new URL('./slowest-files.ts', import.meta.url).href
/** One more than cores on a small machine: while a file waits for a timer or a process, another one computes. */
const FILES_AT_ONCE = 3

// What was compiled once, types stripped, is kept: it is a third of the CPU time of a small file.
process.env['NODE_COMPILE_CACHE'] ??= `${ROOT}node_modules/.cache/countersign`
moveToMemory()

const postgres = await startTestPostgres()
try {
  process.exitCode = await runTests(await findFiles(process.argv.slice(2)), postgres.url)
} finally {
  await postgres.stop()
}

/**
 * The test files of these files and folders. Those that start processes come first: they take longest, and nothing waits for them at the
 * end. Of these, the files that need seeded data come last, because it is being made meanwhile.
 */
async function findFiles(wanted: readonly string[]): Promise<string[]> {
  const files: string[] = []
  for (const place of wanted.length > 0 ? wanted : ['lib', 'server']) {
    if (place.endsWith('.ts')) files.push(place)
    else files.push(...(await Array.fromAsync(glob(`${place}/**/*.test.ts`))))
  }
  const { first = [], second = [], last = [] } = Object.groupBy(files.sort(), turnOf)
  return [...first, ...second, ...last]
}

function turnOf(file: string): 'first' | 'second' | 'last' {
  const text = readFileSync(file, 'utf8')
  if (usesSeededData(text)) return 'second'
  return /node:child_process|start-process\.ts|start-service\.ts/.test(text) ? 'first' : 'last'
}

async function runTests(files: readonly string[], databaseUrl: string): Promise<number> {
  const folder = await mkdtemp(path.join(tmpdir(), 'countersign-run-'))
  const slowest = path.join(folder, 'slowest.txt')
  const options = [
    '--test',
    `--test-concurrency=${FILES_AT_ONCE}`,
    // A test that hangs fails after some minutes, and what a failed test left open does not hold up the run.
    '--test-timeout=400000',
    '--test-force-exit',
    ...['--test-reporter=spec', '--test-reporter-destination=stdout'],
    // To a file, because the runner ends before a second reporter on standard output has written.
    ...[`--test-reporter=${REPORTER}`, `--test-reporter-destination=${slowest}`],
  ]
  const seededData = files.some((file) => turnOf(file) === 'second') ? seededDataPath() : undefined
  const child = spawn(process.execPath, [...options, ...files], {
    stdio: 'inherit',
    env: { ...process.env, TEST_DATABASE_URL: databaseUrl, TEST_SEEDED_DATA: seededData },
  })
  const seeding = seededData === undefined ? undefined : prepareSeededData(seededData)
  // Without it nothing that needs it can pass: the run ends, and the reason is thrown below.
  seeding?.catch(() => child.kill())
  const forward = (signal: NodeJS.Signals) => child.kill(signal)
  process.once('SIGINT', forward)
  process.once('SIGTERM', forward)
  const [code] = (await once(child, 'exit')) as [number | null]
  await seeding
  if (existsSync(slowest)) process.stdout.write(readFileSync(slowest, 'utf8'))
  await rm(folder, { recursive: true })
  return code ?? 1
}
