import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDeviceMarks } from './address.ts'

let nowMs = Date.now()
const clock = { now: () => new Date(nowMs) }
const marks = createDeviceMarks({ secret: 'a secret for tests', clock })

test("the mark's id for its person during 180 days, in every process with the same secret", () => {
  const mark = marks.issue('Awa@example.com')
  const id = marks.recognise(mark, 'awa@example.com ')
  assert.ok(id)
  assert.equal(createDeviceMarks({ secret: 'a secret for tests', clock }).recognise(mark, 'awa@example.com'), id)
  assert.notEqual(marks.recognise(marks.issue('awa@example.com'), 'awa@example.com'), id)
  nowMs += 180 * 24 * 3_600_000 - 1_000
  assert.equal(marks.recognise(mark, 'awa@example.com'), id)
  nowMs += 1_000
  assert.equal(marks.recognise(mark, 'awa@example.com'), undefined)
})

test('undefined: a mark of another person, of another secret, altered, or missing', () => {
  const email = 'awa@example.com'
  const mark = marks.issue(email)
  const [id = '', issued = '', signature = ''] = mark.split('.')
  assert.equal(marks.recognise(mark, 'ibrahim@example.com'), undefined)
  assert.equal(createDeviceMarks({ secret: 'another secret', clock }).recognise(mark, email), undefined)
  for (const altered of [
    undefined,
    '',
    '..',
    `${id}.${issued}`,
    `${id}.${Number(issued) + 1}.${signature}`,
    `${id.slice(1)}A.${issued}.${signature}`,
    `${id}.${issued}.${signature.slice(0, -2)}AA`,
    `${mark}\0`,
    `${mark}.${mark}`,
    'x'.repeat(100_000),
  ])
    assert.equal(marks.recognise(altered, email), undefined)
})
