'use client'

import type { FormEvent } from 'react'
import { OperatorOptions } from '#components/domain/operator-mark.tsx'
import { ScriptForm } from '#components/form/script-form.tsx'
import { useAction } from '#components/form/use-action.tsx'
import { Button } from '#components/ui/button.tsx'
import { Card } from '#components/ui/display/card.tsx'
import { Notice } from '#components/ui/display/empty-state.tsx'
import { Select } from '#components/ui/field.tsx'
import { useT } from '#components/ui/translations.tsx'
import { BATCH_FIELDS, type BatchColumns, REQUIRED_FIELDS, type RepairKind } from '#lib/batches/batch-fields.ts'
import type { BatchDto } from '#lib/batches/batches.ts'
import { isOperatorCode, type OperatorCode } from '#lib/operators/operators.ts'
import { assignColumns, decideRepair } from '../../actions.ts'

/** The messages of refusals of a change to a batch. The page is read again even after one: then something is different from what was shown. */
export const BATCH_CHANGE = {
  words: {
    not_found: 'batches.refused.notFound',
    not_a_draft: 'batches.refused.notADraft',
    changed_meanwhile: 'batches.refused.changed',
    no_such_column: 'batches.refused.column',
    application_disabled: 'batches.refused.application',
    nothing_to_submit: 'batches.refused.nothing',
    checked_again: 'batches.refused.checkedAgain',
    same_content: 'batches.refused.sameContent',
    wrong_time: 'batch.refused.wrong_time',
  },
  refreshes: 'answered',
} as const

/** Says which column contains which field; every column is shown with what its first rows have. */
export function ColumnsForm({ application, batch, mayChange }: { application: string; batch: BatchDto; mayChange: boolean }) {
  const t = useT()
  const { batchId, version } = batch
  const { run, isPending, error, setError } = useAction(
    (columns: BatchColumns, defaultOperator: OperatorCode | null) =>
      assignColumns(application, { batchId, version, columns, defaultOperator }),
    BATCH_CHANGE,
  )
  const width = Math.max(batch.headers.length, ...batch.samples.map((cells) => cells.length))
  function assign(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const columns: BatchColumns = {}
    for (const field of BATCH_FIELDS) {
      const chosen = String(form.get(field) ?? '')
      if (chosen !== '') columns[field] = Number(chosen)
    }
    if (REQUIRED_FIELDS.some((field) => columns[field] === undefined)) return setError(t('batches.columnsMissing'))
    if (new Set(Object.values(columns)).size < Object.values(columns).length) return setError(t('batches.columnsTwice'))
    const operator = String(form.get('defaultOperator') ?? '')
    run(columns, isOperatorCode(operator) ? operator : null)
  }
  const columnName = (index: number) =>
    batch.headers[index] || t('batches.columnNumber', { column: String.fromCharCode(65 + (index % 26)) })
  const sampleOf = (index: number) => batch.samples.map((cells) => cells[index]).find((text) => text !== undefined && text !== '')
  return (
    <ScriptForm onSubmit={assign} className="grid max-w-2xl gap-4">
      {batch.columns === null && <p>{t('batches.columnsText')}</p>}
      {error && <Notice tone="bad">{error}</Notice>}
      {BATCH_FIELDS.map((field) => (
        <Select
          key={field}
          id={`column-${field}`}
          name={field}
          label={t(`payment.field.${field}`)}
          {...(REQUIRED_FIELDS.includes(field) ? {} : { note: t('batches.optional') })}
          defaultValue={batch.columns?.[field] ?? ''}
          disabled={!mayChange}
        >
          <option value="">{t('batches.noColumn')}</option>
          {Array.from({ length: width }, (_, index) => index).map((index) => (
            <option key={index} value={index}>
              {sampleOf(index) === undefined
                ? columnName(index)
                : t('batches.columnWithSample', { column: columnName(index), sample: sampleOf(index) ?? '' })}
            </option>
          ))}
        </Select>
      ))}
      <Select
        id="column-default-operator"
        name="defaultOperator"
        label={t('batches.defaultOperator')}
        hint={t('batches.defaultOperatorHint')}
        defaultValue={batch.defaultOperator ?? ''}
        disabled={!mayChange}
      >
        <option value="">{t('batches.operatorInFile')}</option>
        <OperatorOptions />
      </Select>
      {mayChange && (
        <div>
          <Button type="submit" variant="primary" isBusy={isPending}>
            {t('batches.useColumns')}
          </Button>
        </div>
      )}
    </ScriptForm>
  )
}

/** The repairs by rule, with examples before and after. Each can be accepted, and undone. */
export function Repairs({ application, batch, mayChange }: { application: string; batch: BatchDto; mayChange: boolean }) {
  const t = useT()
  const { batchId, version } = batch
  const { run, isPending, error } = useAction(
    (repair: RepairKind, isAccepted: boolean) => decideRepair(application, { batchId, version, repair, isAccepted }),
    BATCH_CHANGE,
  )
  return (
    <Card>
      <h2 className="mb-2">{t('batches.repairs')}</h2>
      {error && (
        <p role="alert" className="mb-2 text-bad">
          {error}
        </p>
      )}
      <ul className="grid gap-3">
        {batch.repairs.map(({ kind, count, isAccepted, examples }) => (
          <li key={kind} className="flex flex-wrap items-start justify-between gap-x-6 gap-y-2">
            <div className="min-w-0">
              <p className="font-medium">{t(`batches.repair.${kind}`, { count })}</p>
              <ul className="text-second text-ink-2">
                {examples.map(({ rowNumber, before, after }) => (
                  <li key={rowNumber} className="wrap-anywhere">
                    {t('batches.repairExample', { row: rowNumber, before, after })}
                  </li>
                ))}
              </ul>
            </div>
            {mayChange && (
              <span className="flex items-center gap-2">
                {isAccepted && <span className="text-ok">{t('batches.repairAccepted')}</span>}
                <Button size="small" isBusy={isPending} onClick={() => run(kind, !isAccepted)}>
                  {t(isAccepted ? 'batches.repairUndo' : 'batches.repairAccept')}
                  <span className="sr-only">{t(`batches.repair.${kind}`, { count })}</span>
                </Button>
              </span>
            )}
          </li>
        ))}
      </ul>
    </Card>
  )
}
