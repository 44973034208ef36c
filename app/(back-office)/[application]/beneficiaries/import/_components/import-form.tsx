'use client'

import { ScriptForm } from '#components/form/script-form.tsx'
import '#components/form/zod-without-eval.ts'
import { type FormEvent, useState } from 'react'
import { OperatorOptions } from '#components/domain/operator-mark.tsx'
import { chosenTable, sendTable, TABLE_FILES, tableProblem } from '#components/form/send-table.ts'
import { Button } from '#components/ui/button.tsx'
import { Notice } from '#components/ui/display/empty-state.tsx'
import { FileField, Select } from '#components/ui/field.tsx'
import { toast } from '#components/ui/overlay/toast.tsx'
import { useT } from '#components/ui/translations.tsx'
import { useRouter } from '#components/ui/use-router.ts'
import { CHANGE_REFUSALS, isChangeRefusal } from '#lib/approvals/change-refusals.ts'
import { type ImportPreviewDto, readImportAnswer } from '#lib/beneficiaries/beneficiary-import.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { paths } from '#lib/pages/paths.ts'
import { ImportPreview } from './import-preview.tsx'

type Chosen = { file: File; operator: string }
type Outcome = { preview: ImportPreviewDto } | { changeId: string } | { error: string; isStale?: boolean }

/** Shows what a file would change, and proposes it: the same file is sent again, with the digest of what was shown. */
export function ImportForm({ application }: { application: string }) {
  const t = useT()
  const router = useRouter()
  const [isBusy, setIsBusy] = useState(false)
  const [error, setError] = useState<string | null>(null)
  const [shown, setShown] = useState<(Chosen & { preview: ImportPreviewDto }) | null>(null)
  async function ask(chosen: Chosen, expects?: string): Promise<void> {
    setIsBusy(true)
    const outcome = await send(application, chosen, expects, t)
    if ('preview' in outcome) setShown({ ...chosen, preview: outcome.preview })
    else if ('changeId' in outcome) {
      toast(t('beneficiaries.import.proposed'))
      return router.push(paths.importedBeneficiaries(application, outcome.changeId))
    } else {
      setError(outcome.error)
      if (outcome.isStale) return ask(chosen)
    }
    setIsBusy(false)
  }
  async function look(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const chosen = chosenTable(form, t)
    setShown(null)
    if ('error' in chosen) return setError(chosen.error)
    setError(null)
    await ask({ ...chosen, operator: String(form.get('operator') ?? '') })
  }
  return (
    <div className="mt-4 grid grid-cols-1 gap-6">
      <ScriptForm onSubmit={(event) => void look(event)} onChange={() => setShown(null)} className="grid max-w-2xl gap-4">
        <p className="text-ink-2">{t('beneficiaries.import.columns')}</p>
        {error && <Notice tone="bad">{error}</Notice>}
        <FileField
          id="import-file"
          name="file"
          label={t('batches.fileField')}
          hint={t('beneficiaries.import.fileHint')}
          accept={TABLE_FILES}
          required
        />
        <Select
          id="import-operator"
          name="operator"
          label={t('batches.defaultOperator')}
          hint={t('batches.defaultOperatorHint')}
          defaultValue=""
        >
          <option value="">{t('batches.operatorInFile')}</option>
          <OperatorOptions />
        </Select>
        <div>
          <Button type="submit" variant={shown ? 'quiet' : 'primary'} isBusy={isBusy}>
            {t(isBusy ? 'beneficiaries.import.looking' : 'beneficiaries.import.look')}
          </Button>
        </div>
        <p role="status" className="sr-only">
          {isBusy ? t('beneficiaries.import.looking') : ''}
        </p>
      </ScriptForm>
      {shown && <ImportPreview preview={shown.preview} isBusy={isBusy} onPropose={() => void ask(shown, shown.preview.digest)} />}
    </div>
  )
}

async function send(application: string, { file, operator }: Chosen, expects: string | undefined, t: Translate): Promise<Outcome> {
  const query = { fileName: file.name.slice(-200), operator: operator || null, expects: expects ?? null }
  const sent = await sendTable(paths.data(application, 'beneficiaries/import', query), file, t)
  return 'error' in sent ? sent : outcomeOf(sent.json, t)
}

function outcomeOf(json: unknown, t: Translate): Outcome {
  const answer = readImportAnswer(json)
  if (answer === undefined) return { error: t('action.unexpected') }
  if ('digest' in answer) return { preview: answer }
  if ('changeId' in answer) return answer
  if ('problem' in answer) return { error: tableProblem(answer.problem, t) }
  const { code } = answer
  if (code === 'unknown_columns' || code === 'too_many_people') return { error: t(`beneficiaries.import.${code}`) }
  // Somebody changed the book between the two requests: what would change now is shown at once.
  if (code === 'changed_meanwhile' || code === 'number_in_book' || code === 'unknown_beneficiary') {
    return { error: t('beneficiaries.import.changed_meanwhile'), isStale: true }
  }
  return { error: t(isChangeRefusal(code) ? CHANGE_REFUSALS[code] : 'change.refusedByRule') }
}
