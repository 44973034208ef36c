import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as sealedColumns from './sealed-columns.ts'

const { SEALED_COLUMNS } = sealedColumns
const IDS = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'] as const

/** The places of secrets, each for these ids. */
const places = Object.entries(sealedColumns).flatMap(([name, value]) =>
  typeof value === 'function' && name.endsWith('Place') ? [value(...IDS) as ReturnType<typeof sealedColumns.totpSecretPlace>] : [],
)

test('the same columns with the same number of ids: where secrets are encrypted, and where a rotation of the key looks for them', () => {
  const idsOf = (row: string) => row.split('/').length
  assert.deepEqual(
    places.map(({ table, field, row }) => [table, field, idsOf(row)]).toSorted(),
    SEALED_COLUMNS.map(({ table, field, identity }) => [table, field, identity.length]).toSorted(),
  )
})
