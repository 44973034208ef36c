'use client'

import { type FormEvent, useState } from 'react'
import { OperatorOptions } from '#components/domain/operator-options.tsx'
import { Button } from '#components/ui/button.tsx'
import { Notice } from '#components/ui/empty-state.tsx'
import { Select } from '#components/ui/field.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { BatchDto } from '#lib/batch-dto.ts'
import { BATCH_FIELDS, type BatchColumns, REQUIRED_FIELDS } from '#lib/batch-file/batch-fields.ts'
import { isOperatorCode } from '#lib/operators.ts'
import { assignColumns } from '../../actions.ts'
import { useChange } from './use-change.ts'

/** Says which column contains which field; every column is shown with what its first rows have. */
export function ColumnsForm({ application, batch, mayChange }: { application: string; batch: BatchDto; mayChange: boolean }) {
  const t = useT()
  const { change, error, isBusy } = useChange()
  const [problem, setProblem] = useState<string | null>(null)
  const width = Math.max(batch.headers.length, ...batch.samples.map((cells) => cells.length))
  async function assign(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const columns: BatchColumns = {}
    for (const field of BATCH_FIELDS) {
      const chosen = String(form.get(field) ?? '')
      if (chosen !== '') columns[field] = Number(chosen)
    }
    if (REQUIRED_FIELDS.some((field) => columns[field] === undefined)) return setProblem(t('batches.columnsMissing'))
    if (new Set(Object.values(columns)).size < Object.values(columns).length) return setProblem(t('batches.columnsTwice'))
    setProblem(null)
    const operator = String(form.get('defaultOperator') ?? '')
    const defaultOperator = isOperatorCode(operator) ? operator : null
    await change(() => assignColumns(application, { batchId: batch.batchId, version: batch.version, columns, defaultOperator }))
  }
  const columnName = (index: number) =>
    batch.headers[index] || t('batches.columnNumber', { column: String.fromCharCode(65 + (index % 26)) })
  const sampleOf = (index: number) => batch.samples.map((cells) => cells[index]).find((text) => text !== undefined && text !== '')
  const wrong = problem ?? error
  return (
    <form onSubmit={(event) => void assign(event)} className="grid max-w-2xl gap-4">
      {batch.columns === null && <p>{t('batches.columnsText')}</p>}
      {wrong && <Notice tone="bad">{wrong}</Notice>}
      {BATCH_FIELDS.map((field) => (
        <Select
          key={field}
          id={`column-${field}`}
          name={field}
          label={t(`batches.field.${field}`)}
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
          <Button type="submit" variant="primary" isBusy={isBusy}>
            {t('batches.useColumns')}
          </Button>
        </div>
      )}
    </form>
  )
}
