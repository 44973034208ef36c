import { useId, useState } from 'react'
import { FileField } from '#components/ui/field.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { MessageKey } from '#lib/i18n/translate.ts'

/** More than any scan; the whole file is in memory while its digest is computed. */
const FILE_BYTES_MAX = 50 * 1024 * 1024

/** Returns the SHA-256 digest of a file in hexadecimal, computed in the browser: the file is not sent. Rejects if it cannot be read. */
async function readDigest(file: File): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', await file.arrayBuffer()))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

export type ReadFile = { name: string; sha256: string }
type Props = { label: string; note?: string; hint: string; error?: string | undefined; onRead: (file: ReadFile | null) => void }

/** A file whose digest is computed in the browser. `onRead` receives name and digest, or null while there is none. */
export function DocumentField({ label, note, hint, error, onRead }: Props) {
  const t = useT()
  const id = useId()
  const [problem, setProblem] = useState<MessageKey | null>(null)
  const [digest, setDigest] = useState<string | null>(null)
  async function read(file: File | undefined): Promise<void> {
    onRead(null)
    setDigest(null)
    setProblem(null)
    if (!file) return
    if (file.size > FILE_BYTES_MAX) return setProblem('change.fileTooLarge')
    try {
      const sha256 = await readDigest(file)
      setDigest(sha256)
      // A name that is too long keeps its end, with the extension.
      onRead({ name: file.name.slice(-200), sha256 })
    } catch {
      // Removed or locked since it was chosen.
      setProblem('change.fileFailed')
    }
  }
  return (
    <div className="grid gap-1">
      <FileField
        id={id}
        label={label}
        {...(note ? { note } : {})}
        hint={hint}
        error={problem ? t(problem) : error}
        onChange={(event) => void read(event.target.files?.[0])}
      />
      {digest && <p className="text-second text-quiet wrap-anywhere">{t('change.digest', { digest })}</p>}
    </div>
  )
}
