import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'

const LOGGER = new URL('./logger.ts', import.meta.url).pathname

test('the code and the constraint of a failed statement are logged, and the row that it quotes is not', () => {
  const program = `import { createLogger } from '${LOGGER}'
    const error = Object.assign(new Error('new row violates check constraint'), {
      code: '23514', constraint: 'positive', detail: 'Failing row contains (237677209341, Clarisse).', where: 'unnamed portal parameter $1 = 237677209341' })
    createLogger('error').error({ err: error }, 'A statement failed')
    createLogger('error').error({ err: new Error('Outer', { cause: error }) }, 'A statement failed')`
  const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' })
  assert.equal(stderr.trim().split('\n').length, 2)
  assert.match(stderr, /"code":"23514","constraint":"positive"/)
  for (const hidden of ['237677209341', 'Clarisse']) assert.ok(!stderr.includes(hidden), stderr)
})
