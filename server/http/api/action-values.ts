/**
 * The most values that the arguments of an action, or the fields of a form, may have. Deciding five hundred transactions at once, the
 * largest that ours take, has 1,500. React spends 2 µs on each, whatever its size, before any code of ours is reached: a megabyte of
 * `[{},{},…]` from nobody in particular would hold up the whole process for more than half a second.
 */
const VALUES_MAX = 5_000
const PARTS_MAX = 200

const [BRACE, BRACKET, COMMA] = [...Buffer.from('{[,')]
const PART = Buffer.from('\n--')

/** True for a body with few enough parts and values; counts them without reading any, texts that contain these characters included. */
export function hasFewValues(bytes: Uint8Array): boolean {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let parts = 0
  for (let at = body.indexOf(PART); at >= 0; at = body.indexOf(PART, at + PART.length)) if (++parts > PARTS_MAX) return false
  let values = 0
  for (const byte of body) if ((byte === COMMA || byte === BRACE || byte === BRACKET) && ++values > VALUES_MAX) return false
  return true
}
