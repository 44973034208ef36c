import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AnswerTable, outcomeOfCode, refused, UNKNOWN, withAgreed } from './answer-table.ts'

const CALL = { kind: 'answered', httpStatus: 200, body: '{}' } as const
const exchange = { httpStatus: 200, answer: '{}' }

test('failed with the meaning that was agreed with the operator, in place of what the table says of the code', () => {
  const table: AnswerTable = { 1: UNKNOWN, 2: refused('other') }
  const agreed = withAgreed(table, { 1: 'insufficientFunds', 2: 'invalidNumber' })
  assert.deepEqual(outcomeOfCode(agreed, '1', CALL), { kind: 'failed', reason: 'Solde insuffisant', operatorCode: '1', exchange })
  assert.deepEqual(outcomeOfCode(agreed, '2', CALL), { kind: 'failed', reason: 'Numéro invalide', operatorCode: '2', exchange })
})
