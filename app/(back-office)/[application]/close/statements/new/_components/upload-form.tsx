'use client'

import { ScriptForm } from '#components/form/script-form.tsx'
import '#components/form/zod-without-eval.ts'
import { type FormEvent, useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { ProgressBar } from '#components/ui/display/badge.tsx'
import { Notice } from '#components/ui/display/empty-state.tsx'
import { FileField, Select } from '#components/ui/field.tsx'
import { useT } from '#components/ui/translations.tsx'
import { useRouter } from '#components/ui/use-router.ts'
import { paths } from '#lib/pages/paths.ts'
import { STATEMENT_BYTES_MAX } from '#lib/reconciliation/statement-problem.ts'
import { walletText } from '#lib/reconciliation/wallet-words.ts'
import { WALLETS } from '#lib/reconciliation/wallets.ts'
import { sendStatement } from './send-statement.ts'

/** Sends a statement in pieces and shows how far it is. An upload that was interrupted continues when the same file is chosen again. */
export function UploadForm({ application }: { application: string }) {
  const t = useT()
  const router = useRouter()
  const [sent, setSent] = useState<{ pieces: number; of: number } | null>(null)
  const [error, setError] = useState<string | null>(null)
  async function upload(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const file = form.get('file')
    if (!(file instanceof File) || file.size === 0) return setError(t('statements.fileMissing'))
    if (file.size > STATEMENT_BYTES_MAX) return setError(t('statements.file.too_large', { megabytes: STATEMENT_BYTES_MAX / 1024 / 1024 }))
    setError(null)
    setSent({ pieces: 0, of: 1 })
    const outcome = await sendStatement(application, String(form.get('wallet')), file, (pieces, of) => setSent({ pieces, of }))
    if ('fileId' in outcome) return router.push(paths.statementFile(application, outcome.fileId))
    setSent(null)
    setError(t(outcome.error))
  }
  return (
    <ScriptForm onSubmit={(event) => void upload(event)} className="grid gap-4">
      {error && <Notice tone="bad">{error}</Notice>}
      <Select id="statement-wallet" name="wallet" label={t('close.wallet')}>
        {WALLETS.map(({ wallet }) => (
          <option key={wallet} value={wallet}>
            {walletText(t, wallet)}
          </option>
        ))}
      </Select>
      <FileField
        id="statement-file"
        name="file"
        label={t('statements.fileField')}
        hint={t('statements.fileHint')}
        accept=".csv,.txt,.tsv,.xlsx,.xls,.gz"
        required
      />
      {sent && (
        <div className="grid gap-1">
          <ProgressBar label={t('statements.progress')} value={sent.pieces} max={sent.of} />
          <p role="status" className="text-second text-quiet tabular">
            {t('statements.sent', { sent: sent.pieces, of: sent.of })}
          </p>
        </div>
      )}
      <div>
        <Button type="submit" variant="primary" isBusy={sent !== null}>
          {t('statements.upload')}
        </Button>
      </div>
    </ScriptForm>
  )
}
