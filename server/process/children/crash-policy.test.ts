import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { createCrashPolicy, exitCodeOf, isCrash } from './crash-policy.mjs'

/** The pauses after crashes at these seconds; undefined where the process is not restarted. */
function pausesAfter(...atSeconds: number[]): (number | undefined)[] {
  let nowMs = 0
  const policy = createCrashPolicy({ now: () => nowMs })
  return atSeconds.map((second) => {
    nowMs = second * 1_000
    return policy.note()
  })
}

test('pauses of 0.5, 2, 8 and 30 s before restarts', () => {
  assert.deepEqual(pausesAfter(0, 40, 80, 120, 160), [500, 2_000, 8_000, 30_000, 30_000])
})

test('a pause of 0.5 s after a crash that is long after the others', () => {
  assert.deepEqual(pausesAfter(0, 40, 1_000), [500, 2_000, 500])
})

test('no restart after the third crash within a minute', () => {
  assert.deepEqual(pausesAfter(0, 30, 59), [500, 2_000, undefined])
  assert.deepEqual(pausesAfter(0, 30, 61), [500, 2_000, 8_000])
})

for (const [code, signal, expected, exitCode] of [
  [0, null, false, 0],
  [1, null, false, 1],
  [70, null, true, 70],
  [134, null, true, 134],
  [null, 'SIGSEGV', true, 139],
  [null, 'SIGABRT', true, 134],
  [null, 'SIGKILL', true, 137],
  [null, 'SIGTERM', false, 143],
] as const) {
  test(`an end with ${signal ?? `exit code ${code}`} is ${expected ? 'a crash' : 'no crash'} and is reported as ${exitCode}`, () => {
    assert.equal(isCrash(code, signal), expected)
    assert.equal(exitCodeOf(code, signal), exitCode)
  })
}

for (const [bug, script] of [
  ['an uncaught exception', `setTimeout(() => { throw new Error('a bug') })`],
  ['an unhandled rejection', `setTimeout(() => void Promise.reject(new Error('a bug')))`],
] as const) {
  test(`exit code 70 and the cause in the log: ${bug}`, () => {
    const folder = new URL('../../', import.meta.url).pathname
    const program = `import { createLogger } from '${folder}logger.ts'
      import { createShutdown } from '${folder}process/start/shutdown.ts'
      createShutdown(createLogger('fatal'))
      setInterval(() => undefined, 1_000)
      ${script}`
    const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' })
    assert.equal(status, 70)
    assert.match(stderr, /"message":"a bug","stack"/)
  })
}
