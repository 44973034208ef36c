import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { MESSAGES } from '#server/messages.ts'
import { createTranslate, type MessageKey } from './translate.ts'

const ROOT = path.resolve(import.meta.dirname, '../..')
const PLACES = ['app/**/*.{ts,tsx}', 'components/**/*.{ts,tsx}', 'lib/**/*.ts', 'server/**/*.ts']

/** Code between the tags of two expressions, as opposed to words inside one. */
const CODE_BETWEEN_TAGS = /\b(?:return|case|default|const|export)\b|&&|\|\||^\s*[:?]/

async function sources(patterns: readonly string[]): Promise<{ file: string; text: string }[]> {
  const found: { file: string; text: string }[] = []
  for await (const file of glob([...patterns], { cwd: ROOT })) {
    if (!file.endsWith('.test.ts')) found.push({ file, text: await readFile(path.join(ROOT, file), 'utf8') })
  }
  return found
}

const keys = Object.keys(MESSAGES.en) as MessageKey[]

/** One branch of a plural: `one {# row}`. */
const BRANCH = /(=\d+|\bone|\bother) \{([^{}]*)\}/g

/** Code in a text of a guide. */
const CODE = /`[^`]*`/g

/** Texts whose count is never 1: page sizes, limits, and a text with a separate singular. */
const NEVER_ONE = ['table.rows', 'statement.tooLong', 'overview.someWait', 'transaction.latestCalls']

test('equal keys in both languages, none without a text', () => {
  assert.deepEqual(Object.keys(MESSAGES.fr).toSorted(), keys.toSorted())
  for (const messages of Object.values(MESSAGES)) for (const [key, text] of Object.entries(messages)) assert.ok(text.trim() !== '', key)
})

test('equal placeholders in both languages', () => {
  const namesOf = (text = '') => [...new Set(Array.from(text.replaceAll(BRANCH, '').matchAll(/\{(\w+)/g), (match) => match[1]))].toSorted()
  for (const key of keys) assert.deepEqual(namesOf(MESSAGES.fr[key]), namesOf(MESSAGES.en[key]), key)
})

test('U+00A0 before « : ; ! ? » % and inside quotation marks in all French texts', () => {
  const prose = (text: string) => text.replaceAll(CODE, '')
  const wrong = Object.entries(MESSAGES.fr).filter(([, text]) => /(?<!\u00a0)[:;!?»%]|«(?!\u00a0)|\u202f/.test(prose(text)))
  assert.deepEqual(wrong, [])
})

test('equal code in both languages of each text of a guide', () => {
  const codeOf = (text = '') => Array.from(text.matchAll(CODE), ([code]) => code).toSorted()
  const guides = keys.filter((key) => key.startsWith('guides.'))
  assert.ok(guides.length > 200)
  for (const key of guides) assert.deepEqual(codeOf(MESSAGES.fr[key]), codeOf(MESSAGES.en[key]), key)
})

test('equal statuses, codes and limits in both languages of each text of a guide', () => {
  const numbersOf = (text = '') =>
    Array.from(text.replaceAll(/(?<=\d)[,\u00a0](?=\d{3})/g, '').matchAll(/\d+(?:\.\d+)*/g), ([number]) => number).toSorted()
  for (const key of keys) if (key.startsWith('guides.')) assert.deepEqual(numbersOf(MESSAGES.fr[key]), numbersOf(MESSAGES.en[key]), key)
})

test('singular for 1, and in French for 0; plural for 2, in all texts with a plural', () => {
  for (const [locale, singular, plural] of [
    ['en', [1], [0, 2]],
    ['fr', [0, 1], [2]],
  ] as const) {
    const t = createTranslate(locale, MESSAGES[locale])
    for (const key of keys) {
      const text = MESSAGES[locale][key] ?? ''
      const name = /\{(\w+), plural/.exec(text)?.[1]
      if (name === undefined) continue
      const branches = new Map(Array.from(text.matchAll(BRANCH), (match) => [match[1], match[2] ?? '']))
      for (const [form, counts] of [
        ['one', singular],
        ['other', plural],
      ] as const) {
        assert.ok(branches.has(form), `${locale} ${key} has no "${form}"`)
        for (const count of counts) {
          const expected = branches.get(`=${count}`) ?? branches.get(form) ?? ''
          const found = t(key, { [name]: count })
          assert.ok(found.includes(expected.replaceAll('#', String(count))) && !found.includes('#'), `${locale} ${key}: ${found}`)
        }
      }
    }
  }
})

test('no noun in the plural after a number that may be 1', () => {
  const wrong = Object.entries({
    ...MESSAGES.en,
    ...Object.fromEntries(Object.entries(MESSAGES.fr).map(([key, text]) => [`${key} fr`, text])),
  })
    .filter(([key, text]) => /\{count\} \p{L}{2,}s\b/u.test(text) && !NEVER_ONE.includes(key.replace(' fr', '')))
    .map(([key]) => key)
  assert.deepEqual(wrong, [])
})

test('every key in the code has a text, including keys with a computed part', async () => {
  const missing: string[] = []
  for (const { file, text } of await sources(PLACES)) {
    for (const [, , key] of text.matchAll(/\b(t|translate)\(\s*'([\w.]+)'/g))
      if (key && !keys.some((each) => each === key)) missing.push(`${file}: ${key}`)
    for (const [, prefix] of text.matchAll(/\bt\(\s*`([\w.]+)\$\{/g))
      if (prefix && !keys.some((key) => key.startsWith(prefix))) missing.push(`${file}: ${prefix}…`)
  }
  assert.deepEqual(missing, [])
})

test('no text without a use in the code', async () => {
  const all = (await sources(PLACES))
    .filter(({ file }) => !file.startsWith('lib/i18n/'))
    .map(({ text }) => text)
    .join('\n')
  const prefixes = Array.from(all.matchAll(/`([a-zA-Z]+\.[\w.]*)\$\{/g), (match) => match[1] ?? '')
  const named = new Set(Array.from(all.matchAll(/['"`]([a-zA-Z]+(?:\.\w+)+)['"`]/g), (match) => match[1] ?? ''))
  const unused = keys.filter((key) => !named.has(key) && !prefixes.some((prefix) => key.startsWith(prefix)))
  assert.deepEqual(unused, [])
})

test('no words in components: text between tags and in spoken attributes comes from the messages', async () => {
  const found: string[] = []
  for (const { file, text } of await sources(['app/**/*.tsx', 'components/**/*.tsx'])) {
    const code = text.replace(/\{\/\*[\s\S]*?\*\/\}/g, '').replace(/^\s*(\/\/|\*|\/\*).*$/gm, '')
    for (const [, words] of code.matchAll(/<\/?[A-Za-z][\w.]*(?:\s[^<>]*)?>\s*([^<>{}()=;]*\p{L}{2}[^<>{}()=;]*)(?=<)/gu))
      if (words?.trim() && !CODE_BETWEEN_TAGS.test(words)) found.push(`${file}: ${words.trim()}`)
    for (const [, name, words] of code.matchAll(/\b(aria-label|title|placeholder|alt|label)="([^"]*\p{L}{2}[^"]*)"/gu))
      found.push(`${file}: ${name}="${words}"`)
  }
  assert.deepEqual(found, [])
})
