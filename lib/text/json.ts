import { err, ok, type Result } from '#lib/result.ts'

/** A number with its source text: amounts are read from it exactly, without a float. */
export class JsonNumber {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type JsonObject = { [name: string]: JsonValue }
export type JsonValue = null | boolean | string | JsonNumber | JsonValue[] | JsonObject

/** The maximum nesting of objects and arrays. */
export const JSON_DEPTH_MAX = 32

/**
 * The maximum number of values in one document. A value of two bytes (`0,`) becomes an object of fifty, so without this bound a body of some
 * megabytes could fill the heap.
 */
export const JSON_VALUES_MAX = 50_000

/** The maximum number of names in one object: V8 takes microseconds, not nanoseconds, for each name of an object that has tens of thousands. */
export const JSON_NAMES_MAX = 1_000

/** Under this key an object carries the names that were sent more than once. Not visible to code that enumerates the fields. */
const REPEATED = Symbol('repeated names')

const DECODER = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y
const QUOTE = 0x22
const BACKSLASH = 0x5c

// One document is read at a time and synchronously: module variables are cheaper than an object per body.
let source = ''
let at = 0
let valuesMax = JSON_VALUES_MAX
let valuesLeft = 0

class JsonProblem extends Error {}

/**
 * Reads one JSON document (RFC 8259), stricter than `JSON.parse`: a surrogate without its partner, nesting beyond 32, more than
 * 1,000 names in an object and more than 50,000 values are refused. Numbers keep their source text. `__proto__` is a name like any other. A
 * name that is repeated in one object keeps its last value and is reported by `repeatedNames`; an escaped NUL is part of its text: only the
 * caller, who knows the fields, can tell whether either matters. The error is one clause with the position in characters, never content.
 */
export function parseJson(text: string, valuesMost = JSON_VALUES_MAX): Result<JsonValue, string> {
  source = text
  at = 0
  valuesMax = valuesMost
  valuesLeft = valuesMost
  try {
    skipSpace()
    const value = readValue(0)
    skipSpace()
    if (at < source.length) fail('something follows the end of the document')
    return ok(value)
  } catch (error) {
    if (error instanceof JsonProblem) return err(error.message)
    throw error
  } finally {
    source = ''
  }
}

/** The same for the bytes of a body. Refuses bytes that are not UTF-8, and a byte order mark. */
export function parseJsonBytes(bytes: Uint8Array, valuesMost = JSON_VALUES_MAX): Result<JsonValue, string> {
  let text: string
  try {
    text = DECODER.decode(bytes)
  } catch {
    // Refused with a sentence.
    return err('the text is not valid UTF-8')
  }
  return parseJson(text, valuesMost)
}

/** Returns whether a value is a JSON object: not null, an array or a number. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber)
}

/** Returns the names that were sent more than once in this object. */
export function repeatedNames(object: JsonObject): ReadonlySet<string> {
  return (object as { [REPEATED]?: Set<string> })[REPEATED] ?? NONE
}

const NONE: ReadonlySet<string> = new Set()

function fail(reason: string): never {
  throw new JsonProblem(`${reason} at position ${at}`)
}

function skipSpace(): void {
  for (;;) {
    const code = source.charCodeAt(at)
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return
    at++
  }
}

function readValue(depth: number): JsonValue {
  if (valuesLeft-- <= 0) fail(`the document has more than ${valuesMax} values`)
  const code = source.charCodeAt(at)
  if (code === QUOTE) return readString()
  if (code === 0x7b) return readObject(depth + 1)
  if (code === 0x5b) return readArray(depth + 1)
  if (code === 0x2d || (code >= 0x30 && code <= 0x39)) return readNumber()
  if (code === 0x74) return readWord('true', true)
  if (code === 0x66) return readWord('false', false)
  if (code === 0x6e) return readWord('null', null)
  return fail(at >= source.length ? 'the text ends too early' : 'a value was expected')
}

function readWord<Word extends boolean | null>(word: string, value: Word): Word {
  if (!source.startsWith(word, at)) fail('a value was expected')
  at += word.length
  return value
}

function readNumber(): JsonNumber {
  NUMBER.lastIndex = at
  const match = NUMBER.exec(source)
  if (!match) return fail('a number is not well formed')
  at += match[0].length
  return new JsonNumber(match[0])
}

function readArray(depth: number): JsonValue[] {
  if (depth > JSON_DEPTH_MAX) fail(`values are nested more than ${JSON_DEPTH_MAX} deep`)
  const values: JsonValue[] = []
  at++
  skipSpace()
  if (source.charCodeAt(at) === 0x5d) {
    at++
    return values
  }
  for (;;) {
    values.push(readValue(depth))
    skipSpace()
    const code = source.charCodeAt(at)
    if (code !== 0x2c && code !== 0x5d) fail('a comma or the end of an array was expected')
    at++
    if (code === 0x5d) return values
    skipSpace()
  }
}

function readObject(depth: number): JsonObject {
  if (depth > JSON_DEPTH_MAX) fail(`values are nested more than ${JSON_DEPTH_MAX} deep`)
  const object: JsonObject = {}
  at++
  skipSpace()
  if (source.charCodeAt(at) === 0x7d) {
    at++
    return object
  }
  for (let names = 0; ; names++) {
    if (source.charCodeAt(at) !== QUOTE) fail('a name in double quotes was expected')
    if (names >= JSON_NAMES_MAX) fail(`an object has more than ${JSON_NAMES_MAX} names`)
    const name = readString()
    if (Object.hasOwn(object, name)) noteRepeated(object, name)
    skipSpace()
    if (source.charCodeAt(at) !== 0x3a) fail('a colon was expected')
    at++
    skipSpace()
    const value = readValue(depth)
    // Plain assignment to this one name would set the prototype instead of a field.
    if (name === '__proto__') Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true })
    else object[name] = value
    skipSpace()
    const code = source.charCodeAt(at)
    if (code !== 0x2c && code !== 0x7d) fail('a comma or the end of an object was expected')
    at++
    if (code === 0x7d) return object
    skipSpace()
  }
}

function noteRepeated(object: JsonObject, name: string): void {
  const holder = object as { [REPEATED]?: Set<string> }
  if (holder[REPEATED]) holder[REPEATED].add(name)
  else Object.defineProperty(object, REPEATED, { value: new Set([name]) })
}

/** Most strings have no escape and are one slice of the source. */
function readString(): string {
  const start = at++
  let hasEscape = false
  for (;;) {
    const code = source.charCodeAt(at)
    if (code === QUOTE) {
      at++
      // A checked string is decoded natively: joining a megabyte of escapes piece by piece would cost sixty megabytes.
      return hasEscape ? JSON.parse(source.slice(start, at)) : source.slice(start + 1, at - 1)
    }
    if (code === BACKSLASH) {
      hasEscape = true
      skipEscape()
    } else if (code >= 0x20) {
      if (code >= 0xd800 && code <= 0xdfff) skipSurrogatePair(code)
      at++
    } else {
      // NaN, past the end of the text, comes here too.
      fail(at >= source.length ? 'a text has no end' : 'a text has an unescaped control character')
    }
  }
}

function skipSurrogatePair(code: number): void {
  const next = source.charCodeAt(at + 1)
  if (code > 0xdbff || !(next >= 0xdc00 && next <= 0xdfff)) fail('a surrogate has no partner')
  at++
}

function skipEscape(): void {
  const code = source.charCodeAt(at + 1)
  if (code === 0x75) skipUnicodeEscape()
  else if (ESCAPED.has(code)) at += 2
  else fail('an escape is unknown')
}

/** Characters allowed after a backslash, besides `u`: `"`, `\\`, `/`, b, f, n, r and t. */
const ESCAPED = new Set([QUOTE, BACKSLASH, 0x2f, 0x62, 0x66, 0x6e, 0x72, 0x74])

function skipUnicodeEscape(): void {
  const unit = readHex(at + 2)
  if (unit < 0xd800 || unit > 0xdfff) {
    at += 6
    return
  }
  const isEscape = source.charCodeAt(at + 6) === BACKSLASH && source.charCodeAt(at + 7) === 0x75
  const low = unit <= 0xdbff && isEscape ? readHex(at + 8) : 0
  if (low < 0xdc00 || low > 0xdfff) fail('a surrogate has no partner')
  at += 12
}

/** The number that four hexadecimal digits are. */
function readHex(start: number): number {
  let value = 0
  for (let index = start; index < start + 4; index++) {
    const code = source.charCodeAt(index)
    // Lower case for letters; digits have this bit already.
    const letter = code | 0x20
    if (code >= 0x30 && code <= 0x39) value = value * 16 + code - 0x30
    else if (letter >= 0x61 && letter <= 0x66) value = value * 16 + letter - 0x57
    else fail('a \\u escape needs four hexadecimal digits')
  }
  return value
}
