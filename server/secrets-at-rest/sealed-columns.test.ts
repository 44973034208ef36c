import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SecretPlace } from './keyring.ts'
import * as sealedColumns from './sealed-columns.ts'

const { SEALED_COLUMNS } = sealedColumns
const IDS = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'] as const

/** The places of secrets, each for these ids. */
const places = Object.values(sealedColumns).flatMap((value) =>
  typeof value === 'function' && value.name.endsWith('Place') ? [Reflect.apply(value, undefined, IDS) as SecretPlace] : [],
)

test('the same columns with the same number of ids: where secrets are encrypted, and where a rotation of the key looks for them', () => {
  const idsOf = (row: string) => row.split('/').length
  assert.deepEqual(
    places.map(({ table, field, row }) => [table, field, idsOf(row)]).toSorted(),
    SEALED_COLUMNS.map(({ table, field, identity }) => [table, field, identity.length]).toSorted(),
  )
})
