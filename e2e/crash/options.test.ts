import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url))

function refusal(...args: string[]): string {
  const { status, stderr } = spawnSync(process.execPath, [MAIN, ...args], { encoding: 'utf8' })
  assert.equal(status, 2)
  return stderr
}

for (const seed of ['1', '12345678', '4294967295']) {
  test(`accepted: --seed ${seed}`, () => {
    assert.match(refusal('--seed', seed, '--kills', '0'), /^--kills must be a whole number from 1 to 100000\.\n$/)
  })
}

for (const seed of ['0', '4294967296', '99999999999', '-1', '1e3', '']) {
  test(`exit code 2 and the limit in the sentence: --seed=${seed}`, () => {
    assert.equal(refusal(`--seed=${seed}`), '--seed must be a whole number from 1 to 4294967295.\n')
  })
}
