// Runs node:test files against a throw-away PostgreSQL: `npm run test:server -- [file or folder ...] [--without file or folder] [--at-once 3]
// [--minutes 7] [--retry]`.
// With `--retry`: files with a failed test run once more at the end, one at a time. What passes then failed because of what ran beside it; both
// attempts are printed. With `--changed`: the tests of what differs from the branch `main`, committed or not.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { glob, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { startTestPostgres } from './postgres.ts'
import {
  describeSlowestFiles,
  describeSums,
  type FileResult,
  findFailedFiles,
  findFilesWithoutResults,
  readFileResults,
} from './runner/file-results.ts'
import { moveToMemory } from './runner/memory-folder.mjs'
import { SECOND_ATTEMPT } from './runner/name-failures.mjs'
import { prepareSeededData, seededDataPath, usesSeededData } from './service/seeded-data.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const BLOCKING_OUTPUT = new URL('./runner/blocking-output.mjs', import.meta.url).href
const REPORTER = new URL('./runner/file-results.ts', import.meta.url).href
const { positionals, values: options } = parseArgs({
  allowPositionals: true,
  options: {
    without: { type: 'string', multiple: true, default: [] },
    // One more than cores on a small machine: while a file waits for a timer or a process, another one computes.
    'at-once': { type: 'string', default: '3' },
    // A test that hangs fails after this time. Some tests have a variable that makes them run for hours.
    minutes: { type: 'string', default: '7' },
    changed: { type: 'boolean', default: false },
    retry: { type: 'boolean', default: false },
  },
})

// Compiled code, types stripped, is kept: it is a third of the CPU time of a small file.
process.env['NODE_COMPILE_CACHE'] ??= `${ROOT}node_modules/.cache/countersign`
moveToMemory()

const files = await findFiles(options.changed ? findChangedTests() : positionals, options.without)
if (files.length === 0) console.log('No test belongs to what has changed.')
else {
  const postgres = await startTestPostgres()
  try {
    process.exitCode = await runTests(files, postgres.url)
  } finally {
    await postgres.stop()
  }
}

/**
 * The tests that changed, and those beside a file that changed: in its folder, or for a file in `testing/` or `sql/` in the folder above. Pages and
 * components have theirs in the browser, which `npm test` starts.
 */
function findChangedTests(): string[] {
  const git = (...words: string[]): string[] => execFileSync('git', words, { cwd: ROOT, encoding: 'utf8' }).split('\n').filter(Boolean)
  const [base = 'HEAD'] = git('merge-base', 'main', 'HEAD')
  const changed = [...git('diff', '--name-only', base), ...git('ls-files', '--others', '--exclude-standard')]
  const folders = changed
    .filter((file) => /^(lib|server|e2e)\/.*\.(ts|mjs|sql|json)$/.test(file))
    .map((file) => path.posix.dirname(file).replace(/\/(testing|sql|migrations)$/, ''))
  return [...new Set(folders)].flatMap((folder) => globSync(`${folder}/*.test.ts`, { cwd: ROOT }))
}

/**
 * The test files of the wanted files and folders, without those of the unwanted folders. Those that start processes come first: they take
 * longest, and nothing waits for them at the end. Of these, the files that need seeded data come last, because it is being made meanwhile.
 */
async function findFiles(wanted: readonly string[], unwanted: readonly string[]): Promise<string[]> {
  const files: string[] = []
  for (const place of wanted.length > 0 || options.changed ? wanted : ['lib', 'server']) {
    if (place.endsWith('.ts')) files.push(place)
    else files.push(...(await Array.fromAsync(glob(`${place}/**/*.test.ts`))))
  }
  const kept = files.filter((file) => !unwanted.some((place) => file === place || file.startsWith(`${place}/`)))
  const { first = [], second = [], last = [] } = Object.groupBy(kept.sort(), turnOf)
  return [...first, ...second, ...last]
}

function turnOf(file: string): 'first' | 'second' | 'last' {
  const text = readFileSync(file, 'utf8')
  if (usesSeededData(text)) return 'second'
  return /node:child_process|start-service\.ts|contract\/service\.ts/.test(text) ? 'first' : 'last'
}

/** Runs these files and returns the exit code. Prepares the seeded data beside them if one of them needs it. */
async function runTests(files: readonly string[], databaseUrl: string): Promise<number> {
  const seededData = files.some((file) => turnOf(file) === 'second') ? seededDataPath() : undefined
  const environment = { ...process.env, TEST_DATABASE_URL: databaseUrl, TEST_SEEDED_DATA: seededData }
  const isOver = new AbortController()
  const seeding = seededData === undefined ? undefined : prepareSeededData(seededData)
  // Without it nothing that needs it can pass: the run ends, and the reason is thrown below.
  seeding?.catch(() => isOver.abort())
  const first = await runOnce(files, { environment, signal: isOver.signal, atOnce: options['at-once'] })
  await seeding
  process.stdout.write(describeSlowestFiles(first.results))
  // Node's runner ends with 0 although a file has no results.
  const lost = findFilesWithoutResults(files, first.results)
  const again = options.retry ? [...lost, ...findFailedFiles(files, first.results)] : lost
  if (again.length === 0 || first.isInterrupted || isOver.signal.aborted) return first.code
  console.log(`\n${SECOND_ATTEMPT} ${again.join(', ')}`)
  const second = await runOnce(again, { environment, signal: isOver.signal, atOnce: '1' })
  const stillLost = findFilesWithoutResults(again, second.results)
  if (stillLost.length > 0) console.error(`No results: ${stillLost.join(', ')}`)
  process.stdout.write(describeSums(first.results, second.results))
  const code = options.retry ? second.code : first.code || second.code
  return stillLost.length > 0 ? 1 : code
}

async function runOnce(
  files: readonly string[],
  { environment, signal, atOnce }: { environment: NodeJS.ProcessEnv; signal: AbortSignal; atOnce: string },
): Promise<{ code: number; isInterrupted: boolean; results: FileResult[] }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'countersign-run-'))
  const resultsFile = path.join(folder, 'results.jsonl')
  const flags = [
    '--test',
    `--test-concurrency=${atOnce}`,
    `--test-timeout=${Number(options.minutes) * 60_000}`,
    // Handles that a failed test left open do not hold up the run.
    '--test-force-exit',
    // The forced exit would lose results that are still being written.
    `--import=${BLOCKING_OUTPUT}`,
    ...['--test-reporter=spec', '--test-reporter-destination=stdout'],
    // To a file, because the runner ends before a second reporter on standard output has written.
    ...[`--test-reporter=${REPORTER}`, `--test-reporter-destination=${resultsFile}`],
  ]
  const child = spawn(process.execPath, [...flags, ...files], { stdio: 'inherit', env: environment })
  const end = () => child.kill()
  signal.addEventListener('abort', end)
  let isInterrupted = false
  const forward = (name: NodeJS.Signals) => {
    isInterrupted = true
    child.kill(name)
  }
  process.once('SIGINT', forward)
  process.once('SIGTERM', forward)
  const [code] = (await once(child, 'exit')) as [number | null]
  process.removeListener('SIGINT', forward)
  process.removeListener('SIGTERM', forward)
  signal.removeEventListener('abort', end)
  const results = readFileResults(await readFile(resultsFile, 'utf8').catch(() => ''))
  await rm(folder, { recursive: true })
  return { code: code ?? 1, isInterrupted, results }
}
