import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readAmount } from './cells.ts'

for (const [printed, minor] of [
  ['500-', -50_000n],
  ['500−', -50_000n],
  ['-500', -50_000n],
  ['–500,50', -50_050n],
  ['(500)', -50_000n],
  ['+500', 50_000n],
  ['500+', 50_000n],
  ['1 053,50 FCFA', 105_350n],
  ['1.053', 105_300n],
  ['-', null],
] as const)
  test(`${minor} for the printed amount ${printed}`, () => assert.equal(readAmount(printed), minor))
