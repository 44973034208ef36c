/** One value of each JSON type, and of the types that people confuse. */
export const WRONG_TYPES: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e308,
  2 ** 60,
  [],
  [[]],
  ['x'],
  {},
  { toString: 1 },
  { length: 3 },
]

/** Texts that no field of ours takes: not storable, or longer than any field. Short enough for a service with little memory to take (64 KB). */
export const WRONG_TEXTS: readonly string[] = ['\0', 'a\0b', '\ud800', '\udc00x', 'x'.repeat(20_000), 'e\u0301'.repeat(10_000), '']

/** Values in the query of an address, as they are written there; most are invalid for most parameters. */
export const WRONG_QUERY_VALUES: readonly string[] = [
  'null',
  'true',
  '-1',
  '1e400',
  '99999999999999999999',
  '0x10',
  '{}',
  '[]',
  '%22',
  '0000-01-01',
  '0000-01-01T00:00:00Z',
  '2026-02-30',
  '10000-01-01',
  '%2Binfinity',
  "'%3B%20drop%20table%20transactions%3B%20--",
  '%E2%80%A8',
  '%E2%80%AE',
  'constructor',
  '__proto__',
  'x'.repeat(4_000),
  'e%CC%81'.repeat(500),
]

/** Parts of a path, as they are written there. */
export const WRONG_SEGMENTS: readonly string[] = [
  'constructor',
  '__proto__',
  '-',
  '%20',
  '%0a',
  '%E2%80%A8',
  '%F0%9F%98%80',
  '0',
  'null',
  '00000000-0000-0000-0000-000000000000',
  'x'.repeat(4_000),
  ';a=b',
  '*',
  '%25',
  '%2500',
]

/** `EVERY_INPUT=1` tries every value in every place, which takes some minutes: after a change to what reads input, and before a release. */
const IS_EVERY_INPUT = process.env['EVERY_INPUT'] === '1'

/**
 * One in `parts` of the values, another share at each place. What reads a value is the same code in every place, so the shares of
 * neighbouring places together try all values.
 */
export function shareOf<Value>(values: readonly Value[], place: number, parts: number): Value[] {
  return values.filter((_, each) => IS_EVERY_INPUT || each % parts === place % parts)
}
