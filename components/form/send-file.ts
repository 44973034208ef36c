import type { MessageKey } from '#lib/i18n/translate.ts'
import { PIECE_BYTES, uploadAnswerSchema } from '#lib/uploads.ts'

/** How often a piece is sent again, and the first pause before it; each further pause is twice as long. */
const TRIES = 5
const PAUSE_MS = 1_000

export type NotSent = { error: MessageKey }

type Upload = {
  /** Begins or continues the upload. */
  begin: string
  /** Takes one piece of it. */
  piece: (fileId: string, number: number) => string
  /** Completes it. */
  complete: (fileId: string) => string
}

export type SendWords = {
  /** The connection broke. */
  notSent: MessageKey
  /** The text about a refusal by its code, if there is one. */
  refused: (code: string | null) => MessageKey
}

/** Sends a file piece by piece; pieces that arrived before are left out. Returns the answer to its completion, or what to say. */
export async function sendFile(
  file: File,
  upload: Upload,
  words: SendWords,
  onPiece: (sent: number, of: number) => void,
): Promise<{ json: unknown } | NotSent> {
  const started = await post(upload.begin, null, words)
  if ('error' in started) return started
  const opened = uploadAnswerSchema.safeParse(started.json)
  if (!opened.success) return { error: 'action.unexpected' }
  const { fileId, pieces } = opened.data
  const count = Math.ceil(file.size / PIECE_BYTES)
  let sent = pieces.length
  onPiece(sent, count)
  for (let number = 0; number < count; number++) {
    if (pieces.includes(number)) continue
    const piece = file.slice(number * PIECE_BYTES, (number + 1) * PIECE_BYTES)
    const stored = await post(upload.piece(fileId, number), piece, words)
    if ('error' in stored) return stored
    onPiece(++sent, count)
  }
  return post(upload.complete(fileId), null, words)
}

/** Every request changes nothing the second time, so one without an answer is sent again. */
async function post(address: string, body: Blob | null, words: SendWords): Promise<{ json: unknown } | NotSent> {
  for (let tried = 1; ; tried++) {
    const response = await attempt(address, body)
    if (response?.ok) return { json: await response.json() }
    if (response?.status === 401) return { error: 'action.unauthenticated' }
    if (response?.status === 403) return { error: 'action.forbidden' }
    if (response && response.status < 500) return { error: words.refused(await readCode(response)) }
    if (tried === TRIES) return { error: words.notSent }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS * 2 ** (tried - 1)))
  }
}

async function attempt(address: string, body: Blob | null): Promise<Response | null> {
  try {
    return await fetch(address, { method: 'POST', headers: { 'content-type': 'application/octet-stream' }, body })
  } catch {
    // The connection broke, or the file was changed on disk after it was chosen: the caller tries again and then says so.
    return null
  }
}

/** The code of a refusal; null where the answer is not from a data address. */
async function readCode(response: Response): Promise<string | null> {
  try {
    const json: unknown = await response.json()
    const code: unknown = typeof json === 'object' && json !== null ? Reflect.get(json, 'code') : null
    return typeof code === 'string' ? code : null
  } catch {
    // A proxy in between answered: its text says nothing to a person.
    return null
  }
}
