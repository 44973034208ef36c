import { BATCH_FILE_BYTES_MAX, type FileProblem } from '#lib/batches/file-problem.ts'
import type { Translate } from '#lib/i18n/translate.ts'

/** The files that people may choose where a table of people or payments is read. */
export const TABLE_FILES = '.csv,.txt,.tsv,.xlsx,.xlsm'

/** Returns the file that was chosen in the field `file` of a form, or the sentence about a missing or too large one. */
export function chosenTable(form: FormData, t: Translate): { file: File } | { error: string } {
  const file = form.get('file')
  if (!(file instanceof File) || file.name === '') return { error: t('batches.fileMissing') }
  return file.size > BATCH_FILE_BYTES_MAX ? { error: tooLarge(t) } : { file }
}

/** Sends a table as it is. Returns the service's answer, or the sentence about why there is none. */
export async function sendTable(address: string, file: File, t: Translate): Promise<{ json: unknown } | { error: string }> {
  try {
    const response = await fetch(address, { method: 'POST', headers: { 'content-type': 'application/octet-stream' }, body: file })
    if (response.status === 413) return { error: tooLarge(t) }
    if (response.status === 503) return { error: t('batches.busy') }
    if (response.status === 401) return { error: t('action.unauthenticated') }
    if (response.status === 403) return { error: t('action.forbidden') }
    return { json: await response.json() }
  } catch {
    // The connection broke, or the file was changed on disk after it was chosen.
    return { error: t('batches.notSent') }
  }
}

/** The sentence about a file that cannot be read. */
export function tableProblem({ kind, values }: FileProblem, t: Translate): string {
  return t(`batches.file.${kind}`, values ?? {})
}

function tooLarge(t: Translate): string {
  return t('batches.file.too_large', { megabytes: BATCH_FILE_BYTES_MAX / 1024 / 1024 })
}
