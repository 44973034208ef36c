'use client'

import { ScriptForm } from '#components/form/script-form.tsx'
import '#components/form/zod-without-eval.ts'
import { type FormEvent, useState } from 'react'
import { OperatorOptions } from '#components/domain/operator-mark.tsx'
import { chosenTable, sendTable, TABLE_FILES, tableProblem } from '#components/form/send-table.ts'
import { Button } from '#components/ui/button.tsx'
import { Notice } from '#components/ui/display/empty-state.tsx'
import { FileField, Select, TextField } from '#components/ui/field.tsx'
import { useT } from '#components/ui/translations.tsx'
import { useRouter } from '#components/ui/use-router.ts'
import { readUploadAnswer } from '#lib/batches/file-problem.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { paths } from '#lib/pages/paths.ts'
import { TRANSACTION_TYPES } from '#lib/payments/transactions/transaction-status.ts'

/** Sends a file as it is; the service reads and checks it, and the page of the batch opens. */
export function UploadForm({ application }: { application: string }) {
  const t = useT()
  const router = useRouter()
  const [isBusy, setIsBusy] = useState(false)
  const [error, setError] = useState<string | null>(null)
  async function upload(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const chosen = chosenTable(form, t)
    if ('error' in chosen) return setError(chosen.error)
    setError(null)
    setIsBusy(true)
    const sent = await sendTable(paths.data(application, 'batches', addressOf(form, chosen.file)), chosen.file, t)
    const outcome = 'error' in sent ? sent : outcomeOf(sent.json, t)
    if ('batchId' in outcome) return router.push(paths.batch(application, outcome.batchId))
    setIsBusy(false)
    setError(outcome.error)
  }
  return (
    <ScriptForm onSubmit={(event) => void upload(event)} className="grid gap-4">
      {error && <Notice tone="bad">{error}</Notice>}
      <FileField id="batch-file" name="file" label={t('batches.fileField')} hint={t('batches.fileHint')} accept={TABLE_FILES} required />
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
    </ScriptForm>
  )
}

function addressOf(form: FormData, file: File): Record<string, string> {
  const textOf = (name: string) => String(form.get(name) ?? '').trim()
  return { type: textOf('type'), operator: textOf('operator'), name: textOf('name'), fileName: file.name.slice(-200) }
}

function outcomeOf(json: unknown, t: Translate): { batchId: string } | { error: string } {
  const answer = readUploadAnswer(json)
  if (answer === undefined) return { error: t('action.unexpected') }
  return 'batchId' in answer ? answer : { error: tableProblem(answer.problem, t) }
}
