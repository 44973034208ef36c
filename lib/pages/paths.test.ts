import assert from 'node:assert/strict'
import { test } from 'node:test'
import { paths } from './paths.ts'
import { fitColumnSettings, readColumnSettings, writeColumnSettings } from './table-state.ts'

test('the filters in the order given, without those that are not set', () => {
  assert.equal(
    paths.transactions('kora', { status: ['SUCCESS', 'FAILED'], from: '2026-11-01', to: '', page: 2 }),
    '/kora/transactions?status=SUCCESS,FAILED&from=2026-11-01&page=2',
  )
  assert.equal(paths.transactions('kora'), '/kora/transactions')
  assert.equal(paths.search('kora', '237 6 90'), '/kora/search?q=237+6+90')
})

test('the same column settings after the cookie, limited to the columns that exist', () => {
  const settings = { order: ['time', 'amount', 'note'], hidden: ['note'] }
  assert.deepEqual(readColumnSettings(writeColumnSettings(settings)), settings)
  for (const odd of ['<script>', '', '.', 'time..note', '__proto__', 'a'.repeat(1_001)]) assert.equal(readColumnSettings(odd), undefined)
  assert.deepEqual(readColumnSettings('time.~time.note')?.order, ['time', 'note'])
  assert.deepEqual(fitColumnSettings(settings, ['amount', 'time', 'status']), { order: ['time', 'amount', 'status'], hidden: [] })
})
