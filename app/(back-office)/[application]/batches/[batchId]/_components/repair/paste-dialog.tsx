import { useQuery } from '@tanstack/react-query'
import { FormDialog } from '#components/form/form-dialog.tsx'
import { ColumnsTable } from '#components/ui/display/table.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { RowFilter } from '#lib/batches/batches.ts'
import type { CellPlace } from '#lib/batches/cell-place.ts'
import type { CellRepair } from '#lib/batches/repair-queue.ts'
import { batchCells } from './batch-cells.ts'

/** A column from the clipboard, to fill downwards from a cell. */
export type PastedFrom = { place: CellPlace; values: readonly string[] }

type Props = PastedFrom & {
  application: string
  batchId: string
  version: number
  show: RowFilter
  onApply: (cells: CellRepair[]) => void
  onClose: () => void
}

/** Shows what a pasted column would change before anything is changed. Empty cells of it change nothing. */
export function PasteDialog({ application, batchId, version, show, place, values, onApply, onClose }: Props) {
  const t = useT()
  const { field } = place
  const { data, isPending, isError } = useQuery(batchCells(application, batchId, version, { field, show, from: place.rowNumber }))
  const below = data?.cells.slice(0, values.length) ?? []
  const changes = below.flatMap((cell, index) => {
    const text = values[index] ?? ''
    return text === '' || text === cell.value ? [] : [{ ...cell, text }]
  })
  const [first, last] = [changes[0], changes.at(-1)]
  const left = data ? values.length - below.length : 0
  const summary =
    !first || !last
      ? t('batches.repair.pasteNothing')
      : changes.length === 1
        ? t('batches.repair.pasteOne', { row: first.rowNumber })
        : t('batches.repair.pasteText', { count: changes.length, from: first.rowNumber, to: last.rowNumber })
  function apply() {
    if (changes.length === 0) return onClose()
    onApply(changes.map(({ rowNumber, text, value, edit }) => ({ rowNumber, field, text, before: { value, edit, kind: null } })))
    onClose()
  }
  return (
    <FormDialog
      title={t('batches.repair.pasteTitle', { field: t(`payment.field.${field}`) })}
      submitLabel={t(changes.length === 0 ? 'ui.close' : 'batches.repair.pasteApply', { count: changes.length })}
      isPending={isPending}
      error={isError ? t('batches.repair.pasteUnread') : null}
      onSubmit={apply}
      onClose={onClose}
    >
      {data && (
        <p>
          {summary}
          {show !== 'all' && ` ${t('batches.repair.pasteShown', { filter: t(`batches.show.${show}`) })}`}
        </p>
      )}
      {left > 0 && <p className="text-wait">{t('batches.repair.pasteLeft', { count: left })}</p>}
      {changes.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <section aria-label={t('batches.repair.pasteChanges')} tabIndex={0} className="relative max-h-72 overflow-auto">
          <ColumnsTable
            caption={t('batches.repair.pasteChanges')}
            rows={changes}
            keyOf={({ rowNumber }) => rowNumber}
            columns={[
              { head: t('batches.row'), align: 'end', cell: ({ rowNumber }) => rowNumber },
              { head: t('payment.field.customerName'), cell: ({ name }) => <bdi>{name}</bdi> },
              {
                head: t(`payment.field.${field}`),
                cell: ({ value, text }) => (
                  <span className="wrap-anywhere">
                    <del className="text-quiet">{value}</del> <ins className="font-medium no-underline">{text}</ins>
                  </span>
                ),
              },
            ]}
          />
        </section>
      )}
    </FormDialog>
  )
}
