import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LOCALES } from '#lib/i18n/locale.ts'
import { searchIndexSchema } from '#lib/partner/search-index.ts'
import { readSearchIndex } from './search-index.ts'

test('every entry that the search is served with is one that the page accepts, and a page of a proxy is none', () => {
  for (const locale of LOCALES) {
    const index = readSearchIndex(locale)
    assert.ok(index.length > 20)
    assert.deepEqual(searchIndexSchema.parse(JSON.parse(JSON.stringify(index))), index)
  }
  for (const json of [
    undefined,
    null,
    '<html>',
    { code: 'unavailable' },
    [{ title: 'x', where: 'y' }],
    [{ title: 'x', where: 'y', href: 'javascript:alert(1)' }],
  ])
    assert.equal(searchIndexSchema.safeParse(json).success, false)
})
