import type { MessageKey } from '#lib/i18n/translate.ts'
import { paths } from '#lib/pages/paths.ts'
import { PIECE_BYTES } from '#lib/reconciliation/statement-problem.ts'
import { completionAnswerSchema, uploadAnswerSchema } from '#lib/reconciliation/statements.ts'

/** How often a piece is sent again, and the first pause before it; each further pause is twice as long. */
const TRIES = 5
const PAUSE_MS = 1_000

type Refused = { error: MessageKey }

/** Sends a file piece by piece; pieces that arrived before are left out. Returns the id of the file, or what to say. */
export async function sendStatement(
  application: string,
  wallet: string,
  file: File,
  onPiece: (sent: number, of: number) => void,
): Promise<{ fileId: string } | Refused> {
  const begin = { wallet, fileName: file.name.slice(-200), bytes: file.size, modified: file.lastModified }
  const started = await post(paths.data(application, 'statements', begin), null)
  if ('error' in started) return started
  const upload = uploadAnswerSchema.safeParse(started.json)
  if (!upload.success) return { error: 'action.unexpected' }
  const { fileId, pieces } = upload.data
  const count = Math.ceil(file.size / PIECE_BYTES)
  let sent = pieces.length
  onPiece(sent, count)
  for (let number = 0; number < count; number++) {
    if (pieces.includes(number)) continue
    const piece = file.slice(number * PIECE_BYTES, (number + 1) * PIECE_BYTES)
    const stored = await post(paths.data(application, `statements/${fileId}/pieces`, { number }), piece)
    if ('error' in stored) return stored
    onPiece(++sent, count)
  }
  const finished = await post(paths.data(application, `statements/${fileId}/complete`), null)
  if ('error' in finished) return finished
  const completion = completionAnswerSchema.safeParse(finished.json)
  return completion.success ? { fileId: completion.data.fileId } : { error: 'action.unexpected' }
}

/** Every request changes nothing the second time, so one without an answer is sent again. */
async function post(address: string, body: Blob | null): Promise<{ json: unknown } | Refused> {
  for (let tried = 1; ; tried++) {
    const response = await attempt(address, body)
    if (response?.ok) return { json: await response.json() }
    if (response?.status === 401) return { error: 'action.unauthenticated' }
    if (response?.status === 403) return { error: 'action.forbidden' }
    if (response && response.status < 500) return { error: 'statements.notStored' }
    if (tried === TRIES) return { error: 'statements.notSent' }
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
