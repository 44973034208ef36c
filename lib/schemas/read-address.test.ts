import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { approvalQuery } from '#lib/approvals/approval-address.ts'
import { statementAddress, totalsAddress } from '#lib/finance/finance-address.ts'
import { type QueryValues, toQuery } from '#lib/pages/paths.ts'
import { approvalFilterSchema, transactionFilterSchema } from './list-filter.ts'
import { auditExportSchema, overviewQuerySchema, statementQuerySchema, totalsQuerySchema } from './page-address.ts'
import { accountCheckSchema } from './payment.ts'
import { readAddress, readExactAddress } from './read-address.ts'

const SCHEMAS = { transactionFilterSchema, approvalFilterSchema, totalsQuerySchema, statementQuerySchema, overviewQuerySchema }
const DATES = ['from', 'to', 'unconfirmedAfter', 'unconfirmedBefore', 'webhookAfter', 'webhookBefore']

test('invalid: a chain of the audit record with a filter as JSON lines, a part of which nobody could verify; a table with one is read', () => {
  const read = (query: string) => readExactAddress(auditExportSchema, new URLSearchParams(query)).ok
  assert.deepEqual([read('format=jsonl'), read('format=csv&from=2026-11-01'), read('format=xlsx&who=system')], [true, true, true])
  for (const filter of ['from=2026-11-01', 'to=2026-11-01', 'who=system', 'subject=1'])
    assert.equal(read(`format=jsonl&${filter}`), false, filter)
})

test('invalid: an account to check at an operator of another country', () => {
  const read = (operator: string, phoneNumber: string) =>
    readExactAddress(accountCheckSchema, new URLSearchParams({ operator, phoneNumber })).ok
  assert.deepEqual([read('MOMOCM', '237677209341'), read('MOMOCM', '256702209341')], [true, false])
})

test('invalid: year 0, a day that does not exist and a date of another form, for pages and for data', () => {
  for (const [name, schema] of Object.entries(SCHEMAS)) {
    for (const field of Object.keys(schema.shape).filter((each) => DATES.includes(each))) {
      for (const text of [
        '0000-01-01',
        '0000-01-01T00:00:00Z',
        '2026-02-30',
        '10000-01-01',
        '-000001-01-01',
        'today',
        '99999999999',
        "1' or '1",
      ]) {
        assert.equal(readAddress(schema, { [field]: text }).ok, false, `${name} ${field}=${text}`)
        assert.equal(readExactAddress(schema, new URLSearchParams({ [field]: text })).ok, false, `${name} ${field}=${text}`)
      }
      assert.equal(readAddress(schema, { [field]: ['2026-01-01', '2026-01-02'] }).ok, false)
      assert.ok(readAddress(schema, { [field]: '' }).ok)
    }
  }
})

test('invalid: NUL and half a surrogate pair, in every value and every name', () => {
  for (const schema of Object.values(SCHEMAS)) {
    for (const text of ['\0', 'a\0b', '\ud800']) {
      for (const field of [...Object.keys(schema.shape), 'unknown']) {
        assert.equal(readAddress(schema, { [field]: text }).ok, false)
        assert.equal(readAddress(schema, { [field]: ['a', text] }).ok, false)
      }
      assert.equal(readAddress(schema, { [text]: 'a' }).ok, false)
    }
    assert.equal(readExactAddress(schema, new URLSearchParams('unknown=%00')).ok, false)
    assert.equal(readExactAddress(schema, new URLSearchParams('%00=1')).ok, false)
  }
})

test('the default for every other wrong value, so that old links open', () => {
  const wrong = fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.array(fc.string(), { maxLength: 3 })))
  for (const schema of Object.values(SCHEMAS)) {
    const defaults = schema.parse({})
    const names = Object.keys(schema.shape).filter((name) => !DATES.includes(name) && !['phone', 'name', 'rule'].includes(name))
    assert.deepEqual(readAddress(schema, Object.fromEntries(names.map((name) => [name, '?'.repeat(3_000)]))), { ok: true, value: defaults })
    fc.assert(fc.property(wrong, (values) => typeof readAddress(schema, values).ok === 'boolean'))
  }
})

test('invalid: an unknown value or a repeated parameter in a data address', () => {
  for (const query of [
    'status=NOPE',
    'status=SUCCESS,NOPE',
    'page=x',
    'page=0',
    'page=1e99',
    'size=51',
    'min=-1',
    'min=1e5',
    'sort=up',
    'batch=7',
    'page=1&page=2',
  ])
    assert.equal(readExactAddress(transactionFilterSchema, new URLSearchParams(query)).ok, false, query)
  for (const query of ['queue=all', 'operator=NOPE', 'maker=me', 'page=-1', `rule=${'x'.repeat(1_001)}`])
    assert.equal(readExactAddress(approvalFilterSchema, new URLSearchParams(query)).ok, false, query)
  for (const query of ['dates=ever', 'status=all', 'type=PAY', 'operator=SNWAVE,NOPE'])
    assert.equal(readExactAddress(totalsQuerySchema, new URLSearchParams(query)).ok, false, query)
  for (const query of ['days=31', 'days=x'])
    assert.equal(readExactAddress(overviewQuerySchema, new URLSearchParams(query)).ok, false, query)
  assert.ok(readExactAddress(transactionFilterSchema, new URLSearchParams('_rsc=1&status=SUCCESS,FAILED&page=2')).ok)
})

test('valid: every data address that a page builds from its own', () => {
  const some = fc.dictionary(
    fc.constantFrom('dates', 'status', 'type', 'operator', 'view', 'kind', 'page', 'queue', 'min', 'rule', 'sort'),
    fc.constantFrom(
      'SUCCESS',
      'ALL',
      'always',
      'DEPOSIT',
      'SNWAVE,UGMTN',
      'SNWAVE',
      'lines',
      'fees',
      '7',
      '100.50',
      'made',
      'oldest',
      'x & y',
    ),
  )
  const agree =
    <Value>(read: (values: Record<string, string>) => Value | undefined, write: (value: Value) => QueryValues) =>
    (values: Record<string, string>) => {
      const value = read(values)
      assert.ok(value)
      assert.deepEqual(read(Object.fromEntries(new URLSearchParams(toQuery(write(value))))), value)
    }
  const given = <Value>(read: { ok: true; value: Value } | { ok: false }) => (read.ok ? read.value : undefined)
  fc.assert(
    fc.property(
      some,
      agree((values) => given(readAddress(totalsQuerySchema, values)), totalsAddress),
    ),
  )
  fc.assert(
    fc.property(
      some,
      agree((values) => given(readAddress(approvalFilterSchema, values)), approvalQuery),
    ),
  )
  fc.assert(
    fc.property(some, (values) => {
      const query = given(readAddress(statementQuerySchema, values))
      assert.ok(query && readExactAddress(statementQuerySchema, new URLSearchParams(toQuery(statementAddress(query)))).ok)
    }),
  )
})
