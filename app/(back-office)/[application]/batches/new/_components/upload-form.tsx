'use client'

import '#components/form/zod-without-eval.ts'
import { type FormEvent, useState } from 'react'
import { OperatorOptions } from '#components/domain/operator-mark.tsx'
import { Button } from '#components/ui/button.tsx'
import { Notice } from '#components/ui/display/empty-state.tsx'
import { Select, TextField } from '#components/ui/field.tsx'
import { useT } from '#components/ui/translations.tsx'
import { useRouter } from '#components/ui/use-router.ts'
import { BATCH_FILE_BYTES_MAX, readUploadAnswer } from '#lib/batches/file-problem.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { paths } from '#lib/pages/paths.ts'
import { TRANSACTION_TYPES } from '#lib/payments/transaction-status.ts'

/** Sends a file as it is; the service reads and checks it, and the page of the batch opens. */
export function UploadForm({ application }: { application: string }) {
  const t = useT()
  const router = useRouter()
  const [isBusy, setIsBusy] = useState(false)
  const [error, setError] = useState<string | null>(null)
  async function upload(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const file = form.get('file')
    if (!(file instanceof File) || file.name === '') return setError(t('batches.fileMissing'))
    if (file.size > BATCH_FILE_BYTES_MAX) return setError(t('batches.file.too_large', { megabytes: BATCH_FILE_BYTES_MAX / 1024 / 1024 }))
    setError(null)
    setIsBusy(true)
    const outcome = await send(paths.data(application, 'batches', addressOf(form, file)), file, t)
    if ('batchId' in outcome) return router.push(paths.batch(application, outcome.batchId))
    setIsBusy(false)
    setError(outcome.error)
  }
  return (
    <form onSubmit={(event) => void upload(event)} className="grid gap-4">
      {error && <Notice tone="bad">{error}</Notice>}
      <div className="grid gap-1">
        <label htmlFor="batch-file" className="font-medium">
          {t('batches.fileField')}
        </label>
        <input
          id="batch-file"
          name="file"
          type="file"
          required
          accept=".csv,.txt,.tsv,.xlsx,.xlsm"
          aria-describedby="batch-file-hint"
          className="w-full rounded-sm border border-line-2 bg-surface p-1.5"
        />
        <p id="batch-file-hint" className="text-second text-quiet">
          {t('batches.fileHint')}
        </p>
      </div>
      <Select id="batch-type" name="type" label={t('batches.type')} defaultValue="DEPOSIT">
        {TRANSACTION_TYPES.toReversed().map((type) => (
          <option key={type} value={type}>
            {t(`type.${type}`)}
          </option>
        ))}
      </Select>
      <Select
        id="batch-operator"
        name="operator"
        label={t('batches.defaultOperator')}
        hint={t('batches.defaultOperatorHint')}
        defaultValue=""
      >
        <option value="">{t('batches.operatorInFile')}</option>
        <OperatorOptions />
      </Select>
      <TextField id="batch-name" name="name" label={t('batches.nameField')} hint={t('batches.nameHint')} maxLength={200} />
      <div>
        <Button type="submit" variant="primary" isBusy={isBusy}>
          {t(isBusy ? 'batches.checking' : 'batches.check')}
        </Button>
      </div>
      <p role="status" className="sr-only">
        {isBusy ? t('batches.checking') : ''}
      </p>
    </form>
  )
}

function addressOf(form: FormData, file: File): Record<string, string> {
  const textOf = (name: string) => String(form.get(name) ?? '').trim()
  return { type: textOf('type'), operator: textOf('operator'), name: textOf('name'), fileName: file.name.slice(-200) }
}

async function send(address: string, file: File, t: Translate): Promise<{ batchId: string } | { error: string }> {
  try {
    const response = await fetch(address, { method: 'POST', headers: { 'content-type': 'application/octet-stream' }, body: file })
    if (response.status === 413) return { error: t('batches.file.too_large', { megabytes: BATCH_FILE_BYTES_MAX / 1024 / 1024 }) }
    if (response.status === 503) return { error: t('batches.busy') }
    if (response.status === 401) return { error: t('action.unauthenticated') }
    if (response.status === 403) return { error: t('action.forbidden') }
    return outcomeOf(await response.json(), t)
  } catch {
    // The connection broke, or the file was changed on disk after it was chosen.
    return { error: t('batches.notSent') }
  }
}

function outcomeOf(json: unknown, t: Translate): { batchId: string } | { error: string } {
  const answer = readUploadAnswer(json)
  if (answer === undefined) return { error: t('action.unexpected') }
  return 'batchId' in answer ? answer : { error: t(`batches.file.${answer.problem.kind}`, answer.problem.values ?? {}) }
}
