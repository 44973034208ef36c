import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { createAccessLog } from './access-log.ts'

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

const ENTRY = { method: 'GET', path: '/health', status: 200, durationMs: 1.005, applicationId: undefined, peerAddress: undefined }

/** A log whose lines, as far as they were written, are in `written`: one entry for each write. */
function aLog() {
  const written: string[] = []
  const note = createAccessLog('info', { write: (lines: string) => void written.push(lines) })
  return { written, note: note ?? assert.fail('lines are written at this level') }
}

test('no log below the level of its lines', () => {
  assert.deepEqual([createAccessLog('warn'), createAccessLog('silent')], [undefined, undefined])
})

test('a line of JSON with what the request was, its application and address where they are known, and no more than 200 characters of its path', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { written, note } = aLog()
  note(ENTRY)
  note({ ...ENTRY, path: `/"${'x'.repeat(300)}`, status: 404, applicationId: 'a', peerAddress: '192.0.2.1' })
  assert.deepEqual(written, [])
  t.mock.timers.tick(999)
  assert.deepEqual(written, [])
  t.mock.timers.tick(1)
  assert.equal(written.length, 1)
  const [first, second] = (written[0] ?? '')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  const { time, pid, ...fields } = first ?? {}
  assert.deepEqual(fields, { level: 30, msg: 'request', method: 'GET', path: '/health', status: 200, ms: 1 })
  assert.deepEqual([pid, Number.isNaN(Date.parse(String(time)))], [process.pid, false])
  assert.deepEqual([second?.['path'], second?.['app'], second?.['peer']], [`/"${'x'.repeat(198)}`, 'a', '192.0.2.1'])
})

test('written at once with 8 KB of lines, and again a second after the next one', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { written, note } = aLog()
  while (written.length === 0) note(ENTRY)
  assert.ok((written[0]?.length ?? 0) >= 8_192 && (written[0]?.length ?? 0) < 8_192 + 300)
  t.mock.timers.tick(1_000)
  assert.equal(written.length, 1)
  note(ENTRY)
  t.mock.timers.tick(1_000)
  assert.equal(written[1]?.trim().split('\n').length, 1)
})
