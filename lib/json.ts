import { err, ok, type Result } from './result.ts'

/** A number as it stood in the source text: amounts are read from it digit for digit, without a float in between. */
export class JsonNumber {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export type JsonObject = { [name: string]: JsonValue }
export type JsonValue = null | boolean | string | JsonNumber | JsonValue[] | JsonObject

/** Objects and arrays may lie this deep in one another. */
export const JSON_DEPTH_MAX = 32

const DECODER = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y
const HEX = /^[0-9a-fA-F]{4}$/
const QUOTE = 0x22
const BACKSLASH = 0x5c

// One document is read at a time and synchronously: module variables are cheaper than an object per body.
let source = ''
let at = 0

class JsonProblem extends Error {}

/**
 * Reads one JSON document (RFC 8259), stricter than `JSON.parse`: a name that stands twice in one object, a surrogate
 * without its partner, a NUL character (written or escaped) and nesting beyond 32 are refused. Numbers keep their source
 * text. `__proto__` is a name like any other. The error is one sentence with the position in characters, never content.
 */
export function parseJson(text: string): Result<JsonValue, string> {
  source = text
  at = 0
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

/** The same for the bytes of a body: also refused is what is not UTF-8. A byte order mark is not JSON. */
export function parseJsonBytes(bytes: Uint8Array): Result<JsonValue, string> {
  let text: string
  try {
    text = DECODER.decode(bytes)
  } catch {
    return err('the text is not valid UTF-8')
  }
  return parseJson(text)
}

/** True for what a JSON object becomes: not null, not an array, not a number. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber)
}

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
  for (;;) {
    if (source.charCodeAt(at) !== QUOTE) fail('a name in double quotes was expected')
    const start = at
    const name = readString()
    if (Object.hasOwn(object, name)) {
      at = start
      fail('a name stands twice in one object')
    }
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

/** Most strings have no escape and are one slice of the source; the others are put together piece by piece. */
function readString(): string {
  at++
  let pieceStart = at
  let text = ''
  for (;;) {
    const code = source.charCodeAt(at)
    if (code === QUOTE) {
      const piece = source.slice(pieceStart, at)
      at++
      return text + piece
    }
    if (code === BACKSLASH) {
      text += source.slice(pieceStart, at)
      text += readEscape()
      pieceStart = at
    } else if (code >= 0x20) {
      if (code >= 0xd800 && code <= 0xdfff) skipSurrogatePair(code)
      at++
    } else {
      // NaN, past the end of the text, comes here too.
      fail(at >= source.length ? 'a text has no end' : 'a control character stands unescaped in a text')
    }
  }
}

function skipSurrogatePair(code: number): void {
  const next = source.charCodeAt(at + 1)
  if (code > 0xdbff || !(next >= 0xdc00 && next <= 0xdfff)) fail('a surrogate stands without its partner')
  at++
}

function readEscape(): string {
  const code = source.charCodeAt(at + 1)
  if (code === 0x75) return readUnicodeEscape()
  const character = ESCAPES.get(code)
  if (character === undefined) return fail('an escape is unknown')
  at += 2
  return character
}

const ESCAPES = new Map([
  [QUOTE, '"'],
  [BACKSLASH, '\\'],
  [0x2f, '/'],
  [0x62, '\b'],
  [0x66, '\f'],
  [0x6e, '\n'],
  [0x72, '\r'],
  [0x74, '\t'],
])

function readUnicodeEscape(): string {
  const unit = readHex(at + 2)
  if (unit === 0) return fail('a NUL character is not allowed')
  if (unit >= 0xdc00 && unit <= 0xdfff) return fail('a surrogate stands without its partner')
  if (unit < 0xd800 || unit > 0xdbff) {
    at += 6
    return String.fromCharCode(unit)
  }
  const isEscape = source.charCodeAt(at + 6) === BACKSLASH && source.charCodeAt(at + 7) === 0x75
  const low = isEscape ? readHex(at + 8) : 0
  if (low < 0xdc00 || low > 0xdfff) return fail('a surrogate stands without its partner')
  at += 12
  return String.fromCharCode(unit, low)
}

function readHex(start: number): number {
  const digits = source.slice(start, start + 4)
  if (!HEX.test(digits)) fail('a \\u escape needs four hexadecimal digits')
  return Number.parseInt(digits, 16)
}
