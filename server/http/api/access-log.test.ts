import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'

const MODULE = new URL('./access-log.ts', import.meta.url).href

test('a line that still waits is written when the process exits', () => {
  const program = `
    const { createAccessLog } = await import(${JSON.stringify(MODULE)})
    const note = createAccessLog('info')
    const entry = { method: 'GET', path: '/health', status: 200, durationMs: 1, applicationId: undefined, peerAddress: undefined }
    note(entry)
    note({ ...entry, path: '/metrics' })
    process.exit(0)`
  const { stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' })
  assert.deepEqual(
    stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).path),
    ['/health', '/metrics'],
  )
})
