const ANSWER_BYTES_MAX = 2_048
const REASON_LENGTH_MAX = 300
const IDENTIFIER_LENGTH_MAX = 200

/** The message of a failed transaction if the operator sent no reason that its partner can read. */
export const REFUSED_MESSAGE = 'Transaction refusée'

/** C0, DEL and C1. As code points, because a pattern with control characters in it is unreadable. */
const isControl = (code: number): boolean => code < 0x20 || (code >= 0x7f && code < 0xa0)

/** Returns an answer as PostgreSQL can store it: at most 2 KB, without NUL and without lone surrogates. */
export function storableAnswer(text: string): string {
  const short = text.slice(0, ANSWER_BYTES_MAX).toWellFormed().replaceAll('\0', '')
  const bytes = Buffer.from(short)
  if (bytes.length <= ANSWER_BYTES_MAX) return short
  let end = ANSWER_BYTES_MAX
  // Not within a character: its later bytes all begin with the bits 10.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--
  return bytes.toString('utf8', 0, end)
}

/** Returns the operator's sentence as one line of at most 300 characters; empty if nothing readable is left. */
export function cleanReason(text: string): string {
  const line = Array.from(text.slice(0, REASON_LENGTH_MAX).toWellFormed(), (character) =>
    isControl(character.codePointAt(0) ?? 0) ? ' ' : character,
  ).join('')
  return line.trim()
}

/** Returns an identifier unchanged, or undefined if it cannot be one: a part of it would name something else. */
export function cleanIdentifier(text: string | undefined): string | undefined {
  if (text === undefined || text.length === 0 || text.length > IDENTIFIER_LENGTH_MAX || !text.isWellFormed()) return undefined
  for (let place = 0; place < text.length; place++) if (isControl(text.charCodeAt(place))) return undefined
  return text
}
