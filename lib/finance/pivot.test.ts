import assert from 'node:assert/strict'
import { test } from 'node:test'
import { columnsOf, type PivotFact, toPivotTables } from './pivot.ts'

const fact = (operator: PivotFact['operator'], period: string): PivotFact => ({
  operator,
  type: 'COLLECT',
  status: 'SUCCESS',
  period,
  count: 1n,
  amountMinor: 100n,
  feesMinor: 0n,
})

test('the days of several tables in the order of time, also those that the first table lacks', () => {
  const facts = [fact('OMCM', '2026-01-01'), fact('OMCM', '2026-01-03'), fact('UGMTN', '2026-01-02')]
  const tables = toPivotTables(facts, { rows: 'operator', columns: 'day', measure: 'amount' })
  assert.deepEqual(
    tables.map((table) => table.columns),
    [['2026-01-01', '2026-01-03'], ['2026-01-02']],
  )
  assert.deepEqual(columnsOf(tables, 'day'), ['2026-01-01', '2026-01-02', '2026-01-03'])
  assert.deepEqual(columnsOf(tables, null), [])
})

test('the operators of several tables in their usual order', () => {
  const tables = toPivotTables([fact('UGMTN', '2026-01'), fact('OMCM', '2026-01')], {
    rows: 'month',
    columns: 'operator',
    measure: 'amount',
  })
  assert.deepEqual(columnsOf([...tables].reverse(), 'operator'), ['OMCM', 'UGMTN'])
})
