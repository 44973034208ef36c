/**
 * The maximum number of values in the arguments of an action or in the fields of a form. The largest of our actions decides five hundred
 * transactions and has 1,500 values. React spends 2 µs on each value, regardless of its size, before our code runs: a megabyte of `[{},{},…]`
 * from an unknown sender would block the process for more than half a second.
 */
const VALUES_MAX = 5_000
const PARTS_MAX = 200

const [BRACE, BRACKET, COMMA] = [...Buffer.from('{[,')]
const PART = Buffer.from('\n--')

/** Returns true if a body has few enough parts and values. It counts their characters without parsing, also those inside texts. */
export function hasFewValues(bytes: Uint8Array): boolean {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let parts = 0
  for (let at = body.indexOf(PART); at >= 0; at = body.indexOf(PART, at + PART.length)) if (++parts > PARTS_MAX) return false
  let values = 0
  for (const byte of body) if ((byte === COMMA || byte === BRACE || byte === BRACKET) && ++values > VALUES_MAX) return false
  return true
}
