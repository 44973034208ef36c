import { useState } from 'react'
import { FormDialog } from '#components/form/form-dialog.tsx'
import { useAction } from '#components/form/use-action.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import { CHANGE_REFUSALS } from '#lib/approvals/change-refusals.ts'
import type { ExceptionAdjustment, ExceptionDto } from '#lib/reconciliation/exceptions.ts'
import { moneyText } from '#lib/text/format.ts'
import { proposeAdjustments } from '../../../../../actions/changes.ts'
import { EvidenceFields, FeesField } from '../../../_components/changes/adjustment-fields.tsx'

type Props = { application: string; kind: ExceptionAdjustment; rows: readonly ExceptionDto[]; onDone: () => void; onClose: () => void }

/** Proposes the same adjustment for the transactions of these exceptions, with one piece of evidence. */
export function AdjustTogetherDialog({ application, kind, rows, onDone, onClose }: Props) {
  const { t, locale } = useTranslations()
  const [isEmpty, setIsEmpty] = useState(false)
  const { run, isPending, error, refusal } = useAction(
    (given: { evidence: string; note: string; waivesFees: boolean }) =>
      proposeAdjustments(application, { kind, exceptionIds: rows.map(({ exceptionId }) => exceptionId), ...given }),
    { words: CHANGE_REFUSALS, said: () => t('change.proposedNow'), refreshes: 'done', onDone },
  )
  const refused = rows.find(({ exceptionId }) => exceptionId === refusal?.fields?.['exceptionId'])
  function submit(form: FormData) {
    const textOf = (name: string) => String(form.get(name) ?? '').trim()
    setIsEmpty(textOf('evidence') === '')
    if (textOf('evidence') !== '') run({ evidence: textOf('evidence'), note: textOf('note'), waivesFees: textOf('fees') === 'waived' })
  }
  const lineOf = (row: ExceptionDto) => [row.reference, row.application, moneyText(row, locale)].filter(Boolean).join(' · ')
  return (
    <FormDialog
      title={t('exceptions.adjustTogether', { count: rows.length })}
      submitLabel={t('funding.adjustSubmit')}
      isPending={isPending}
      error={error && refused ? `${lineOf(refused)}: ${error}` : error}
      onSubmit={(_, form) => submit(form)}
      onClose={onClose}
    >
      <p className="font-strong">{t(`change.kind.${kind}`)}</p>
      <ul className="grid gap-1">
        {rows.map((row) => (
          <li key={row.exceptionId} className="wrap-anywhere">
            {lineOf(row)}
          </li>
        ))}
      </ul>
      {kind === 'adjustment.late' && <FeesField />}
      <EvidenceFields isMissing={isEmpty} />
      <p className="text-second text-quiet">{t('exceptions.togetherAfterwards')}</p>
    </FormDialog>
  )
}
