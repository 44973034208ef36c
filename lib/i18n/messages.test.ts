import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { MESSAGES } from './messages.ts'

const ROOT = path.resolve(import.meta.dirname, '../..')
const PLACES = ['app/**/*.{ts,tsx}', 'components/**/*.{ts,tsx}', 'lib/**/*.ts', 'server/**/*.ts']

/** Code that stands between two tags of different expressions, not words inside one. */
const CODE_BETWEEN_TAGS = /\b(?:return|case|default|const|export)\b|&&|\|\||^\s*[:?]/

async function sources(patterns: readonly string[]): Promise<{ file: string; text: string }[]> {
  const found: { file: string; text: string }[] = []
  for await (const file of glob([...patterns], { cwd: ROOT })) {
    if (!file.endsWith('.test.ts')) found.push({ file, text: await readFile(path.join(ROOT, file), 'utf8') })
  }
  return found
}

const keys = Object.keys(MESSAGES.en)

test('both languages have the same keys, and none is empty', () => {
  assert.deepEqual(Object.keys(MESSAGES.fr).toSorted(), keys.toSorted())
  for (const messages of Object.values(MESSAGES)) for (const [key, text] of Object.entries(messages)) assert.ok(text.trim() !== '', key)
})

test('a message has the same values in both languages', () => {
  const valuesOf = (text: string) =>
    [...new Set(Array.from(text.matchAll(/\{(\w+)[},]/g), (match) => match[1]))].filter((name) => name !== undefined).toSorted()
  for (const [key, text] of Object.entries(MESSAGES.en))
    assert.deepEqual(valuesOf(Object.entries(MESSAGES.fr).find(([each]) => each === key)?.[1] ?? ''), valuesOf(text), key)
})

test('every key that the code names exists, also where a part of it is computed', async () => {
  const missing: string[] = []
  for (const { file, text } of await sources(PLACES)) {
    for (const [, , key] of text.matchAll(/\b(t|translate)\(\s*'([\w.]+)'/g))
      if (key && !keys.includes(key)) missing.push(`${file}: ${key}`)
    for (const [, prefix] of text.matchAll(/\bt\(\s*`([\w.]+)\$\{/g))
      if (prefix && !keys.some((key) => key.startsWith(prefix))) missing.push(`${file}: ${prefix}…`)
  }
  assert.deepEqual(missing, [])
})

test('every message is used', async () => {
  const all = (await sources(PLACES))
    .filter(({ file }) => !file.startsWith('lib/i18n/'))
    .map(({ text }) => text)
    .join('\n')
  const prefixes = Array.from(all.matchAll(/`([a-zA-Z]+\.[\w.]*)\$\{/g), (match) => match[1] ?? '')
  const named = new Set(Array.from(all.matchAll(/['"`]([a-zA-Z]+(?:\.\w+)+)['"`]/g), (match) => match[1] ?? ''))
  const unused = keys.filter((key) => !named.has(key) && !prefixes.some((prefix) => key.startsWith(prefix)))
  assert.deepEqual(unused, [])
})

test('no words stand in components: text between tags and in spoken attributes comes from the messages', async () => {
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
