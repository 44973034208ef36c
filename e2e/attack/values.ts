import fc from 'fast-check'
import type { Random } from '#lib/seeded-random.ts'

// Values of every kind that a caller may send. Each arbitrary is one rule of the documented interface, or its opposite.

/** One value. It depends only on `random`: the number of a request and the seed of the run give the same value again. */
export function draw<Value>(random: Random, arbitrary: fc.Arbitrary<Value>): Value {
  const [value] = fc.sample(arbitrary, { seed: random.between(0, 0x7fff_ffff), numRuns: 1 })
  return value as Value
}

const HUNDREDTHS_MAX = 999_999_999_999n
/** Where numbers of 32 bits, of doubles and of 64 bits end. */
const NUMBER_ENDS = [2n ** 31n, 2n ** 32n, 2n ** 53n, 2n ** 63n, 2n ** 64n]
/** Hundredths where the rule for amounts ends, and where doubles end. */
const AMOUNT_ENDS = [1n, 100n, HUNDREDTHS_MAX, HUNDREDTHS_MAX + 1n, 2n ** 53n - 1n]
const DIGITS_AND_SIGNS = [...'0123456789.eE+-_xnb ,']

const json = fc.json({ depthSize: 'small' })
const isJson = (text: string) => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** A JSON number with two decimals, or without them where they are zero. */
function amountText(hundredths: bigint): string {
  if (hundredths < 0n) return `-${amountText(-hundredths)}`
  const digits = String(hundredths).padStart(3, '0')
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`.replace(/\.00$/, '')
}

const isGood = (hundredths: bigint) => hundredths > 0n && hundredths <= HUNDREDTHS_MAX
const closeTo = (value: bigint) => fc.bigInt({ min: value - 2n, max: value + 2n })
const atAmountEnds = fc.constantFrom(...AMOUNT_ENDS).chain(closeTo)

/** Greater than zero, at most two decimals, at most 9,999,999,999.99. */
export const goodAmounts = fc.oneof(fc.bigInt({ min: 1n, max: HUNDREDTHS_MAX }), atAmountEnds.filter(isGood)).map(amountText)

/** JSON values that no reading of that rule admits. */
export const badAmounts = fc.oneof(
  fc.constantFrom('0', '-0', '0.0', '0e9', '1e308', '1e309', '-1e309', '5e-324', '1e-400', '1e999999999', '1e-999999999'),
  fc.bigInt({ min: -HUNDREDTHS_MAX, max: -1n }).map(amountText),
  atAmountEnds.filter((hundredths) => !isGood(hundredths)).map(amountText),
  fc.tuple(fc.nat(), fc.integer({ min: 1, max: 999 })).map(([whole, rest]) => `${whole}.00${rest}`.replace(/0+$/, '9')),
  fc.bigInt({ min: HUNDREDTHS_MAX + 1n, max: 2n ** 80n }).map(amountText),
  fc
    .constantFrom(...NUMBER_ENDS)
    .chain(closeTo)
    .map((value) => `${value}0000000`),
  json.filter((text) => typeof JSON.parse(text) !== 'number'),
)

/** Amounts outside the rule, of up to 50,000 digits. */
export const longAmounts = fc.constantFrom(20, 400, 5_000, 50_000).chain((digits) => {
  const [zeros, nines] = ['0'.repeat(digits), '9'.repeat(digits)]
  return fc.constantFrom(nines, `0.${zeros}1`, `1.${zeros}1`, `1e${nines}`, `1e-${nines}`, `${'1'.repeat(digits)}e-${digits}`)
})

/** Texts made of the characters of numbers that are not JSON. */
export const noNumbers = fc.oneof(
  fc.constantFrom('NaN', 'Infinity', '-Infinity', '١', '１', '½'),
  fc.string({ unit: fc.constantFrom(...DIGITS_AND_SIGNS), minLength: 1, maxLength: 8 }).filter((text) => !isJson(text)),
)

/** Spelt with an exponent or with zeros at the end: the rule does not say whether they are amounts. */
export const oddAmounts = fc
  .tuple(fc.integer({ min: 1, max: 99_999 }), fc.constantFrom('.0', '.00', '.000', 'e0', 'e2', 'E2', 'E+2', 'e-2', '00e-2'))
  .map(([whole, end]) => `${whole}${end}`)

/** One value of any JSON type, as text. */
export const jsonValues = fc.oneof(json, fc.constantFrom('1e400', '{"toString":null}', '{"$ne":null}', '{"then":1}', '[["MOMOCM"]]'))

/** Bodies that are JSON or nearly, and are not a transfer. */
export const documents = fc.oneof(
  json,
  json.chain((text) => fc.nat(Math.max(0, text.length - 1)).map((end) => text.slice(0, end))),
  fc.tuple(json, fc.constantFrom(' x', '// note', ',', ']', '}', '\u00a0', '\f')).map(([text, end]) => text + end),
  fc.string(),
  fc.constantFrom('/* note */{}', '\ufeff{}', "{'a':1}", '{a:1}', '[1,]', '{,"a":1}', '"\\x41"', '"\\u12"', '01', '<a/>', 'a=1&b=2'),
)

/** Text that browsers, shells, templates, spreadsheets or databases might interpret. */
const snippets = fc.constantFrom(
  "'; drop table transactions; --",
  '<script>alert(1)</script>',
  '{{7*7}}',
  '%s%s%n',
  '%00',
  '=cmd|calc',
  '../../etc/passwd',
  'null',
  'a\u2028b',
  'a\u202eb',
  'a\u200bb',
  'a\ufeffb',
  'İstanbul',
)

/** Text that a name may be, in any script: it is returned as it was sent. */
export const names = fc
  .oneof(fc.string({ unit: 'grapheme', maxLength: 20 }), fc.string({ unit: 'binary', maxLength: 100 }), snippets)
  .filter((text) => text.trim() !== '' && !text.includes('\0'))

const letters = fc.string({ unit: fc.constantFrom('a', 'Z', ' '), maxLength: 3 })

/** JSON of texts that PostgreSQL cannot store, of texts without a letter, and what JSON forbids inside a text. */
export const forbiddenTexts = fc.oneof(
  fc
    .tuple(
      letters,
      fc.constantFrom('\\u0000', '\\ud800', '\\udc00', '\\ud800\\ud800', '\\udc00\\ud800', '\\ud83d', '\\q', '\\u00zz'),
      letters,
    )
    .map((parts) => `"${parts.join('')}"`),
  fc
    .tuple(letters, fc.integer({ min: 0, max: 0x1f }), letters)
    .map(([before, code, after]) => `"${before}${String.fromCharCode(code)}${after}"`),
  fc.constantFrom('"   "', '"\\t\\n"', '"unterminated'),
)

/** Bytes that are not UTF-8. */
export const brokenUtf8 = fc
  .oneof(
    fc.uint8Array({ minLength: 1, maxLength: 4 }),
    fc
      .constantFrom([0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xe2, 0x82], [0xff, 0xfe])
      .map((bytes) => Uint8Array.from(bytes)),
  )
  .filter((bytes) => Buffer.from(bytes).toString('utf8').includes('\ufffd'))

/** Dates between the first and the last day that PostgreSQL and the interface know. */
export const days = fc
  .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10))

/** Texts that are not a day: impossible ones, other notations, anything else. */
export const noDays = fc
  .oneof(
    fc
      .tuple(fc.integer({ min: 0, max: 99_999 }), fc.nat(14), fc.nat(33))
      .map(([year, month, day]) => [String(year).padStart(4, '0'), String(month).padStart(2, '0'), String(day).padStart(2, '0')].join('-')),
    days.chain((day) =>
      fc.constantFrom(` ${day}`, `${day} `, `+${day}`, `-${day}`, `${day}T00:00:00Z`, day.replaceAll('-', ''), `${day}'`),
    ),
    fc.constantFrom('now', 'infinity', '-infinity', 'epoch', '24:00', '2026-W01', '２０２６-01-01'),
    fc.string({ unit: 'grapheme' }),
  )
  .filter((text) => !isDay(text))

function isDay(text: string): boolean {
  const at = new Date(`${text}T00:00:00Z`)
  return /^\d{4}-\d\d-\d\d$/.test(text) && !text.startsWith('0000') && !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text)
}

/** Whole numbers around the limits of pages and sizes, and what is none. */
export const pageNumbers = fc.oneof(
  fc.integer({ min: -2, max: 1_002 }).map(String),
  fc.bigInt({ min: 2n ** 31n - 2n, max: 2n ** 31n + 2n }).map(String),
  fc.string({ unit: fc.constantFrom(...DIGITS_AND_SIGNS, '١', '９'), maxLength: 6 }),
  fc.constantFrom('NaN', 'null', '[]', '9'.repeat(400)),
)

/** Words that are none of `known`, some of them nearly. */
export const wordsExcept = (known: readonly string[]) =>
  fc
    .oneof(
      fc.string({ unit: 'grapheme' }),
      snippets,
      fc.constantFrom(...known).chain((word) => fc.constantFrom(word.toLowerCase(), `${word} `, `${word},${word}`)),
    )
    .filter((word) => !known.includes(word))

/** Texts that are not a UUID, some of them nearly. */
export const noIds = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 36 }),
  fc.uuid().chain((id) => fc.constantFrom(id.slice(1), `{${id}}`, id.replaceAll('-', ''), `${id}0`, `${id.slice(0, -1)}g`)),
)

/** Values of filters, as they are written in an address: whole, broken and cut percent codes included. */
export const filterValues = fc.oneof(
  fc.string({ unit: 'grapheme' }).map(encodeURIComponent),
  fc.integer().map(String),
  days,
  noDays.map(encodeURIComponent),
  fc.constantFrom('%00', '%FF', '%', '%ED%A0%80', '1e999', '-000001-01-01T00:00:00Z', '..%2F..', 'a'.repeat(3_000)),
)
