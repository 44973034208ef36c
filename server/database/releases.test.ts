import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { readSchemaFiles } from './migrate.ts'
import { RELEASE } from './release.ts'
import { findBrokenRules, findNewestRelease, findTakenAway, type NamedRelease } from './releases.ts'

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

test('nothing that the newest named release uses is taken away by a migration after it', async () => {
  const newest = await findNewestRelease()
  const folder = new URL('./migrations/', import.meta.url)
  const texts = await Promise.all(
    (await readdir(folder)).map(async (file) => [file, await readFile(new URL(file, folder), 'utf8')] as const),
  )
  assert.ok(texts.length >= 12)
  assert.deepEqual(newest ? findTakenAway(newest, RELEASE, Object.fromEntries(texts)) : [], [])
})

for (const statement of [
  'alter table a drop column b',
  'drop table a',
  'alter table a rename column b to c',
  'alter table a\n  alter column b type bigint',
  'alter table a alter column b set not null',
  'alter table a add column b text not null',
]) {
  test(`a sentence while the release before may run, and none once it may not: ${statement.replaceAll(/\s+/g, ' ')}`, () => {
    const texts = { '0001_first.sql': 'drop table released', '0100_next.sql': `create table c (d text not null);\n${statement};` }
    assert.match(findTakenAway(NAMED, { number: 5, compatibleFrom: 4 }, texts).join(), /^0100_next\.sql: .* compatibleFrom above 4\.$/)
    assert.deepEqual(findTakenAway(NAMED, { number: 5, compatibleFrom: 5 }, texts), [])
  })
}

test('nothing in a migration that only adds: tables, columns that are optional or have a default, indexes, comments', () => {
  const text = `-- drop table a
    create table c (d text not null, e text);
    alter table a add column b text, add column n integer not null default 0;
    create index a_b on a (b) where b is not null;`
  assert.deepEqual(findTakenAway(NAMED, { number: 5, compatibleFrom: 4 }, { '0100_next.sql': text }), [])
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
