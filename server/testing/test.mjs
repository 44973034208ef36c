// `npm test`: plain JavaScript for the machine's own Node 20. Installs what is missing, runs every kind of check, and closes with one line: how many
// passed and how many failed. `npm test -- --all` also repeats checks in the second language and theme.
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { endPreparation, PINNED_NODE, prepare, ROOT } from '../prepare.mjs'
import { findBrowser } from './runner/find-browser.mjs'
import { moveToMemory } from './runner/memory-folder.mjs'
import { describeFailures, findFailures, findFlaky } from './runner/name-failures.mjs'

const CRASH_KILLS = 6
const FAILOVERS = 2
const ATTACK_REQUESTS = 600
const FLOOD_REQUESTS = 20
const isAll = process.argv.includes('--all')
/** The characters kept of what a step prints: sums and failures are at the end. */
const OUTPUT_MAX = 500_000
/** Tests that start and end whole services, and wait for them half of the time: one at a time beside the browsers, which leave the cores idle at times. */
const BESIDE_PAGES = ['server/process', 'e2e/processes']

const startedAtMs = Date.now()
const runningBefore = new Set(ownProcesses().map((entry) => entry.pid))
const totals = { passed: 0, failed: 0 }
/** The failures of each step, for the end. */
const failures = []
/** Tests that passed only at their second attempt. Playwright and run.ts allow one, because other programs may load the machine; each is named at the end. */
const flaky = []
/** The steps that run now. */
const children = new Set()

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    endPreparation()
    // The whole group: the shell, the programs that it runs, and their children.
    for (const child of children) if (child.pid) process.kill(-child.pid, 'SIGTERM')
    process.exitCode = 130
    setTimeout(() => process.exit(130), 10_000).unref()
  })
}

try {
  await prepare((line) => console.log(line))
  console.log(`Prepared in ${secondsSince(startedAtMs)} s`)
  moveToMemory()
  const scripts = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')).scripts
  const browser = findBrowser(ROOT, (line) => console.log(line))
  // Awaited minutes later, where its reason is thrown.
  browser.catch(() => undefined)
  await Promise.all([step('Types', scripts.typecheck), step('Lint', scripts.lint, { isBeside: true })])
  await step('Unused files, exports and packages', scripts.unused)
  // Pure functions: one process for all of them costs half as much as one for each file.
  await step('Tests of lib', "node --test --test-isolation=none 'lib/**/*.test.ts'")
  // In one run, so that no core waits for the last file of the one before the other begins. The crash run waits most of its time, for
  // leases to end and schedules to come: the cores are free for the tests meanwhile. So does the failover run, which keeps a page open.
  await Promise.all([
    step(
      'Tests of server, and of whole services in e2e',
      `node server/testing/run.ts --retry server e2e ${BESIDE_PAGES.map((place) => `--without ${place}`).join(' ')}`,
    ),
    runCrashes(scripts.crash, browser),
  ])
  await Promise.all([
    step('Pages in a browser', 'playwright test --retries 1 --config e2e/playwright.config.ts', {
      environment: { CHROMIUM_PATH: await browser, ...(isAll && { TEST_ALL: '1' }) },
    }),
    step('Tests of processes that start and end', `node server/testing/run.ts --retry --at-once 1 ${BESIDE_PAGES.join(' ')}`, {
      isBeside: true,
    }),
  ])
  await step(
    `Attack run with ${ATTACK_REQUESTS} requests`,
    `${scripts.attack} --requests ${ATTACK_REQUESTS} --short --scenarios idle-connections`,
  )
  // A process of its own, so that what it holds at most is not what the requests above left behind.
  await step('Attack run: a flood of pages', `${scripts.attack} --requests ${FLOOD_REQUESTS} --short --scenarios page-flood`)
  if (process.exitCode !== 130) checkLeftovers()
} catch (error) {
  console.error(error.message)
  totals.failed++
  failures.push({ step: 'npm test', title: error.message, lines: [] })
} finally {
  for (const folder of ['test-results', 'playwright-report', 'e2e/test-results'])
    rmSync(path.join(ROOT, folder), { recursive: true, force: true })
}
if (flaky.length > 0) console.log(`\n== Passed at the second attempt only\n${describeFailures(flaky).join('\n')}`)
if (failures.length > 0) console.log(`\n== Failed\n${describeFailures(failures).join('\n')}`)
console.log(`\n${secondsSince(startedAtMs)} s`)
console.log(`${totals.passed} passed, ${totals.failed} failed`)
process.exitCode ||= totals.failed > 0 ? 1 : 0

/** Both crash runs, one after the other. */
async function runCrashes(crash, browser) {
  await step(`Crash run with ${CRASH_KILLS} kills`, `${crash} --kills ${CRASH_KILLS}`, { isBeside: true })
  const environment = { CHROMIUM_PATH: await browser }
  await step(`Crash run with ${FAILOVERS} failovers`, `${crash} --failover --kills ${FAILOVERS} --without-limits`, {
    isBeside: true,
    environment,
  })
}

/**
 * Runs one command line with the pinned Node and the installed programs, and counts its tests, or itself as one. The output of a step
 * that runs beside another is shown when it has ended.
 */
async function step(name, command, { environment = {}, isBeside = false } = {}) {
  if (process.exitCode === 130) return
  const begunAtMs = Date.now()
  if (!isBeside) console.log(`\n== ${name}`)
  const { code, output } = await run(command, environment, isBeside)
  if (isBeside) process.stdout.write(`\n== ${name}\n${output}`)
  const counts = countTests(output)
  if (counts.passed + counts.failed === 0) counts[code === 0 ? 'passed' : 'failed'] = 1
  // A runner that breaks without a failed test has failed all the same.
  if (code !== 0 && counts.failed === 0) counts.failed = 1
  if (counts.failed > 0) failures.push(...findFailures(output).map((failure) => ({ step: name, ...failure })))
  flaky.push(...findFlaky(output).map((failure) => ({ step: name, ...failure })))
  totals.passed += counts.passed
  totals.failed += counts.failed
  console.log(`== ${name}: ${counts.passed} passed, ${counts.failed} failed, ${secondsSince(begunAtMs)} s`)
}

function run(command, environment, isSilent) {
  return new Promise((resolve) => {
    const searchPath = [path.dirname(PINNED_NODE), path.join(ROOT, 'node_modules/.bin'), process.env.PATH].join(path.delimiter)
    const child = spawn('sh', ['-c', command], {
      cwd: ROOT,
      detached: true,
      env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1', ...environment, PATH: searchPath },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    children.add(child)
    let output = ''
    for (const [stream, target] of [
      [child.stdout, process.stdout],
      [child.stderr, process.stderr],
    ]) {
      stream.setEncoding('utf8')
      stream.on('data', (text) => {
        if (!isSilent) target.write(text)
        output = (output + text).slice(-OUTPUT_MAX)
      })
    }
    child.once('close', (code) => {
      children.delete(child)
      resolve({ code, output })
    })
  })
}

function secondsSince(startMs) {
  return Math.round((Date.now() - startMs) / 1_000)
}

/** Reads the closing lines of Node's test runner, of Playwright and of our own programs. */
function countTests(output) {
  // Of our own programs, and of run.ts where files had a second attempt.
  const closing = [...output.matchAll(/^(\d+) passed, (\d+) failed$/gm)].at(-1)
  if (closing) return { passed: Number(closing[1]), failed: Number(closing[2]) }
  const last = (pattern) => Number([...output.matchAll(pattern)].at(-1)?.[1] ?? 0)
  const sum = (pattern) => [...output.matchAll(pattern)].reduce((total, match) => total + Number(match[1]), 0)
  const passed = sum(/^ℹ pass (\d+)/gm) || last(/^\s+(\d+) passed \(/gm)
  const failed = sum(/^ℹ fail (\d+)/gm) + sum(/^ℹ cancelled (\d+)/gm) + last(/^\s+(\d+) failed$/gm)
  return { passed, failed }
}

/** Whatever this run started must be gone. */
function checkLeftovers() {
  const left = ownProcesses().filter((entry) => !runningBefore.has(entry.pid) && entry.pid !== process.pid)
  for (const { pid, command } of left) {
    console.error(`Still running: ${pid} ${command.slice(0, 160)}`)
    failures.push({ step: 'Processes left over', title: `${pid} ${command.slice(0, 160)}`, lines: [] })
    process.kill(pid, 'SIGKILL')
  }
  totals[left.length === 0 ? 'passed' : 'failed']++
}

/** Processes that run programs of this checkout. */
function ownProcesses() {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ')
        return command.includes(`${ROOT}/`) ? [{ pid: Number(name), command }] : []
      } catch {
        return []
      }
    })
}
