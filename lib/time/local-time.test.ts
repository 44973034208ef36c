import assert from 'node:assert/strict'
import { test } from 'node:test'
import { instantIn, localIn } from './format-time.ts'

const at = (zone: string, local: string) => instantIn(zone, local)?.toISOString()

test('the instant at which the clocks of a zone show a time, and back', () => {
  assert.equal(at('Africa/Douala', '2026-11-27T16:00'), '2026-11-27T15:00:00.000Z')
  assert.equal(at('UTC', '2026-11-27T16:00'), '2026-11-27T16:00:00.000Z')
  assert.equal(at('Asia/Kathmandu', '2026-01-01T00:15'), '2025-12-31T18:30:00.000Z')
  assert.equal(localIn('Africa/Douala', new Date('2026-11-27T15:00:00Z')), '2026-11-27T16:00')
})

test('the first of two where clocks are put back, none where they leave a time out', () => {
  assert.equal(at('Europe/Paris', '2026-10-25T02:30'), '2026-10-25T00:30:00.000Z')
  assert.equal(at('Europe/Paris', '2026-10-25T03:30'), '2026-10-25T02:30:00.000Z')
  assert.equal(at('Europe/Paris', '2026-03-29T02:30'), undefined)
  assert.equal(at('Europe/Paris', '2026-03-29T03:30'), '2026-03-29T01:30:00.000Z')
})

test('none for text that is no time', () => {
  for (const local of ['', '2026-11-27', '2026-11-27T25:00', '2026-02-30T10:00', 'tomorrow', '2026-11-27T16:00:00Z'])
    assert.equal(at('UTC', local), undefined, local)
})
