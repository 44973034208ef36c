import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { describeFailures, findFailures, findFlaky, SECOND_ATTEMPT } from './name-failures.mjs'

/** Returns the output of Node's test runner for these files. */
async function runFiles(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'countersign-failures-'))
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text)
  const environment = { ...process.env, NODE_TEST_CONTEXT: undefined }
  const { stdout } = spawnSync(process.execPath, ['--test', '--test-reporter=spec', ...Object.keys(files)], {
    cwd: folder,
    env: environment,
    encoding: 'utf8',
  })
  await rm(folder, { recursive: true })
  return stdout
}

test("the file, the title and the error of each failed test of Node's runner, even of a file that fails outside of its tests", async () => {
  const output = await runFiles({
    'one.test.mjs': `import test from 'node:test'
test('passes', () => {})
test('fails (twice)', () => { throw new Error('the reason') })`,
    'two.test.mjs': `throw new Error('cannot be loaded')`,
  })
  const [first, second, ...others] = findFailures(output)
  assert.deepEqual(others, [])
  assert.match(first?.title ?? '', /^one\.test\.mjs:3:1 fails \(twice\)$/)
  assert.match(first?.lines[0] ?? '', /the reason/)
  assert.match(second?.title ?? '', /^two\.test\.mjs/)
  assert.match(second?.lines.join('\n') ?? '', /cannot be loaded/)
})

test("what passed at the second attempt of Node's runner is told from what failed at both", async () => {
  const failing = (title: string) => `import test from 'node:test'\ntest('${title}', () => { throw new Error('the reason') })`
  const first = await runFiles({ 'one.test.mjs': failing('is slow'), 'two.test.mjs': failing('is wrong') })
  const output = `${first}\n${SECOND_ATTEMPT} one.test.mjs, two.test.mjs\n${await runFiles({ 'two.test.mjs': failing('is wrong') })}`
  assert.deepEqual(
    [findFailures(output), findFlaky(output)].map((found) => found.map(({ title }) => title)),
    [['two.test.mjs:2:1 is wrong'], ['one.test.mjs:2:1 is slow']],
  )
})

test("the tests that failed in a browser, and not those that passed at their second attempt, are found in Playwright's output", () => {
  const output = `
  ✘    1 [tasks] › web/a.spec.ts:4:1 › opens (the page) (1.2s)

  1) [tasks] › web/b.spec.ts:9:1 › is slow ────────────────────

    Error: was slow

  2) [tasks] › web/a.spec.ts:4:1 › opens (the page) ───────────

    \u001b[31mError: not visible\u001b[39m

    Retry #1 ────────

  1 failed
    [tasks] › web/a.spec.ts:4:1 › opens (the page) ────────────
  1 flaky
    [tasks] › web/b.spec.ts:9:1 › is slow ─────────────────────
  247 passed (8.1m)
`
  const [found, ...others] = findFailures(output)
  assert.deepEqual(others, [])
  assert.equal(found?.title, '[tasks] › web/a.spec.ts:4:1 › opens (the page)')
  assert.deepEqual(findFlaky(output), [{ title: '[tasks] › web/b.spec.ts:9:1 › is slow', lines: ['Error: was slow'] }])
  assert.equal(found?.lines[0], 'Error: not visible')
})

test('the last lines of a program that lists no tests', () => {
  const output = Array.from({ length: 50 }, (_, index) => `app/page.tsx(${index},1): error TS2322\n`).join('')
  const [found] = findFailures(output)
  assert.equal(found?.lines.length, 12)
  assert.equal(found?.lines.at(-1), 'app/page.tsx(49,1): error TS2322')
})

test('however many failed, what closes a run is within its last forty lines', () => {
  const failure = (title: string) => ({ step: 'Types', title, lines: ['Error: a', 'b', 'c', 'd'] })
  assert.deepEqual(describeFailures([failure('a type')]).length, 5)
  for (const count of [6, 7, 12, 34, 35, 900]) {
    const lines = describeFailures(Array.from({ length: count }, (_, index) => failure(`test ${index}`)))
    assert.ok(lines.length <= 34, `${lines.length} lines for ${count}`)
    const named = lines.filter((line) => line.startsWith('✖')).length
    const more = Number(/^… and (\d+) more$/.exec(lines.at(-1) ?? '')?.[1] ?? 0)
    assert.equal(named + more, count)
  }
})
