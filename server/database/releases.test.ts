import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSchemaFiles } from './migrate.ts'
import { RELEASE } from './release.ts'
import { findBrokenRules, findNewestRelease, type NamedRelease } from './releases.ts'

const NAMED: NamedRelease = {
  number: 4,
  version: '1.3.0',
  commit: '0'.repeat(40),
  files: { '0001_first.sql': 'a', 'transactions/sql/one.sql': 'b' },
}

test('no broken rule: the schema of this checkout after the newest release that was named', async () => {
  const newest = await findNewestRelease()
  assert.deepEqual(newest ? findBrokenRules(newest, RELEASE.number, await readSchemaFiles()) : [], [])
})

test('no broken rule: the same schema, and one with a higher number that adds a migration and changes a function', () => {
  assert.deepEqual(findBrokenRules(NAMED, 4, NAMED.files), [])
  const next = { '0001_first.sql': 'a', '0100_next.sql': 'c', 'transactions/sql/one.sql': 'changed' }
  assert.deepEqual(findBrokenRules(NAMED, 5, next), [])
})

test('a sentence that names the file: a released migration that was edited or removed', () => {
  const broken: NamedRelease['files'][] = [{ ...NAMED.files, '0001_first.sql': 'edited' }, { 'transactions/sql/one.sql': 'b' }]
  for (const files of broken) assert.match(findBrokenRules(NAMED, 5, files).join(), /^0001_first\.sql belongs to release 4/)
})

test('a sentence that names the number: a function or migration that differs from the release of the same number', () => {
  const changes: NamedRelease['files'][] = [{ 'transactions/sql/one.sql': 'changed' }, { '0100_next.sql': 'c' }]
  for (const change of changes)
    assert.match(findBrokenRules(NAMED, 4, { ...NAMED.files, ...change }).join(), /changed after release 4\. Raise the number/)
})
