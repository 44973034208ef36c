import { type AttachmentDto, savedName } from '#lib/payments/attachments.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { openAttachment } from '#server/attachments/read-attachment.ts'
import { guardFile } from '#server/reports/export/export-file.ts'
import { backOfficeRuntime } from './back-office-runtime.ts'
import { toFileResponse } from './file-response.ts'

/** How many are read at one time in a process: each holds a piece of 1 MB for as long as its reader takes. */
const READ_MAX = 16
/** A slow link takes 5 MB in two minutes. */
const LIMITS = { stallMs: 30_000, durationMs: 5 * 60_000 }

let reading = 0

/**
 * Answers with the file of a transaction: to be shown in a frame of our pages, or to be saved. Its type is the one that was found in its content. The
 * policy of the address (`next.config.ts`) takes scripts, requests and other sites from it.
 */
export async function answerAttachment(
  file: { applicationId: string; transactionId: string },
  isSaved: boolean,
  signal: AbortSignal,
): Promise<Result<Response, 'not_found' | 'busy'>> {
  if (reading >= READ_MAX) return err('busy')
  const open = await openAttachment(backOfficeRuntime().pool, file)
  if (!open) return err('not_found')
  const { attachment, content } = open
  const headers = {
    'content-disposition': disposition(attachment, isSaved),
    'accept-ranges': 'none',
  }
  reading += 1
  // Ends with the file, however it ends: read, broken off, or read too slowly.
  const guarded = guardFile(
    content,
    async () => {
      reading -= 1
    },
    LIMITS,
  )
  return ok(await toFileResponse(guarded, { type: attachment.mediaType, fileName: '', headers }, signal))
}

/** The name as every browser writes it, and for old ones without the characters that a header cannot hold. */
function disposition(attachment: AttachmentDto, isSaved: boolean): string {
  const name = savedName(attachment)
  const plain = name.replaceAll(/[^\w .()-]/g, '_')
  const encoded = encodeURIComponent(name.toWellFormed()).replaceAll(/['()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)
  return `${isSaved ? 'attachment' : 'inline'}; filename="${plain}"; filename*=UTF-8''${encoded}`
}
