import { type NotSent, type SendWords, sendFile } from '#components/form/send-file.ts'
import { paths } from '#lib/pages/paths.ts'
import { completionAnswerSchema } from '#lib/reconciliation/statements.ts'

const WORDS: SendWords = { notSent: 'statements.notSent', refused: () => 'statements.notStored' }

/** Sends a statement piece by piece. Returns its id, or what to say. */
export async function sendStatement(
  application: string,
  wallet: string,
  file: File,
  onPiece: (sent: number, of: number) => void,
): Promise<{ fileId: string } | NotSent> {
  const begin = { wallet, fileName: file.name.slice(-200), bytes: file.size, modified: file.lastModified }
  const upload = {
    begin: paths.data(application, 'statements', begin),
    piece: (fileId: string, number: number) => paths.data(application, `statements/${fileId}/pieces`, { number }),
    complete: (fileId: string) => paths.data(application, `statements/${fileId}/complete`),
  }
  const sent = await sendFile(file, upload, WORDS, onPiece)
  if ('error' in sent) return sent
  const completion = completionAnswerSchema.safeParse(sent.json)
  return completion.success ? { fileId: completion.data.fileId } : { error: 'action.unexpected' }
}
