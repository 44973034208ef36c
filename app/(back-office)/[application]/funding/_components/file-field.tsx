'use client'

import { useId, useState } from 'react'
import { useT } from '#components/ui/translations.tsx'
import type { MessageKey } from '#lib/i18n/translate.ts'
import { FILE_BYTES_MAX, readDigest } from './read-digest.ts'

type ReadFile = { name: string; sha256: string }
type Props = { label: string; note?: string; hint: string; error?: string | undefined; onRead: (file: ReadFile | null) => void }

/** A file whose digest is computed in the browser. `onRead` receives name and digest, or null while there is none. */
export function FileField({ label, note, hint, error, onRead }: Props) {
  const t = useT()
  const id = useId()
  const [problem, setProblem] = useState<MessageKey | null>(null)
  const [digest, setDigest] = useState<string | null>(null)
  async function read(file: File | undefined): Promise<void> {
    onRead(null)
    setDigest(null)
    setProblem(null)
    if (!file) return
    if (file.size > FILE_BYTES_MAX) return setProblem('funding.fileTooLarge')
    try {
      const sha256 = await readDigest(file)
      setDigest(sha256)
      // A name that is too long keeps its end, with the extension.
      onRead({ name: file.name.slice(-200), sha256 })
    } catch {
      // Removed or locked since it was chosen.
      setProblem('funding.fileFailed')
    }
  }
  const shownProblem = problem ? t(problem) : error
  return (
    <div className="grid gap-1">
      <label htmlFor={id} className="font-medium">
        {label}
        {note && <span className="ml-1.5 text-second font-regular text-quiet">{note}</span>}
      </label>
      <input
        id={id}
        type="file"
        aria-invalid={shownProblem ? true : undefined}
        aria-describedby={`${id}-hint`}
        onChange={(event) => void read(event.target.files?.[0])}
        className="w-full rounded-sm border border-line-2 bg-surface p-1.5 aria-invalid:border-bad"
      />
      <p id={`${id}-hint`} className="text-second text-quiet">
        {shownProblem && <span className="block text-bad">{shownProblem}</span>}
        {hint}
      </p>
      {digest && <p className="text-second text-quiet wrap-anywhere">{t('funding.digest', { digest })}</p>}
    </div>
  )
}
