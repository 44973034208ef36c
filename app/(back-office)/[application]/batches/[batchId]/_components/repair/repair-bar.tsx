import { useQuery } from '@tanstack/react-query'
import { Button } from '#components/ui/button.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { CellPlace } from '#lib/batches/cell-place.ts'
import { type CellRepair, correctedMistake } from '#lib/batches/repair-queue.ts'
import { batchCells } from './batch-cells.ts'
import type { Repairs } from './use-repairs.ts'

type Props = { application: string; batchId: string; repairs: Repairs; isEditing: boolean; onOpen: (place: CellPlace) => void }

/** The last texts: saved, with undo and the same for equal mistakes, or kept because they were not saved. */
export function RepairBar({ application, batchId, repairs, isEditing, onOpen }: Props) {
  const t = useT()
  const { unsaved, done, isBusy, version } = repairs
  const last = done.at(-1)
  const mistake = unsaved || isBusy ? undefined : correctedMistake(last)
  if (!unsaved && !last && !isBusy && !isEditing) return null
  return (
    <section
      aria-label={t('batches.repair.bar')}
      className="no-print sticky bottom-20 z-10 grid gap-2 rounded-lg border border-line bg-surface px-3 py-2 shadow-float md:bottom-4"
    >
      {unsaved && <Unsaved unsaved={unsaved} repairs={repairs} onOpen={onOpen} />}
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <span className="text-ink-2">{isBusy ? t('batches.repair.saving') : last ? <LastRepair cells={last.cells} /> : null}</span>
        {last && !isBusy && (
          <Button size="small" onClick={repairs.undo}>
            {t('ui.undo')}
          </Button>
        )}
        {mistake && <AlikeOffer application={application} batchId={batchId} version={version} mistake={mistake} onApply={repairs.save} />}
        <span className="text-second text-quiet sm:ml-auto">{t('batches.repair.keys')}</span>
      </div>
    </section>
  )
}

function LastRepair({ cells }: { cells: readonly CellRepair[] }) {
  const t = useT()
  const [first] = cells
  if (!first) return null
  const field = t(`payment.field.${first.field}`)
  if (cells.length > 1) return t('batches.repair.doneMany', { count: cells.length, field })
  return (
    <span className="wrap-anywhere">
      {t('batches.repair.doneOne', { row: first.rowNumber, field })} <del className="text-quiet">{first.before.value}</del>{' '}
      <ins className="font-medium text-ink no-underline">{first.text || t('batches.repair.empty')}</ins>
    </span>
  )
}

type UnsavedProps = { unsaved: NonNullable<Repairs['unsaved']>; repairs: Repairs; onOpen: (place: CellPlace) => void }
/** The cells that are named one by one; the rest is counted. */
const NAMED_MAX = 5

function Unsaved({ unsaved, repairs, onOpen }: UnsavedProps) {
  const t = useT()
  const { cells, refusal } = unsaved
  return (
    <div className="grid gap-2">
      <p role="alert" className="text-bad">
        {refusal} {t('batches.repair.kept')}
      </p>
      <ul className="flex flex-wrap gap-x-4 gap-y-1 text-second">
        {cells.slice(0, NAMED_MAX).map((cell) => (
          <li key={`${cell.rowNumber} ${cell.field}`} className="wrap-anywhere">
            <button type="button" className="underline" onClick={() => onOpen(cell)}>
              {t('batches.repair.doneOne', { row: cell.rowNumber, field: t(`payment.field.${cell.field}`) })}
            </button>{' '}
            <bdi>{cell.text}</bdi>
          </li>
        ))}
        {cells.length > NAMED_MAX && <li>{t('batches.repair.more', { count: cells.length - NAMED_MAX })}</li>}
      </ul>
      <div className="flex flex-wrap gap-2">
        <Button size="small" variant="primary" isBusy={repairs.isBusy} onClick={repairs.retry}>
          {t('batches.repair.saveAgain', { count: cells.length })}
        </Button>
        <Button size="small" onClick={repairs.drop}>
          {t('batches.repair.drop')}
        </Button>
      </div>
    </div>
  )
}

type AlikeProps = {
  application: string
  batchId: string
  version: number
  mistake: NonNullable<ReturnType<typeof correctedMistake>>
  onApply: (cells: CellRepair[]) => void
}

/** Offers the same correction for the other rows with the same value and problem, as many at once as one repair may change. */
function AlikeOffer({ application, batchId, version, mistake, onApply }: AlikeProps) {
  const t = useT()
  const { field, kind, value, text } = mistake
  const { data } = useQuery(batchCells(application, batchId, version, { field, show: 'problems', kind, value }))
  if (!data || data.cells.length === 0) return null
  const { cells, total } = data
  return (
    <Button
      size="small"
      className="h-auto! min-h-[26px] whitespace-normal!"
      onClick={() => onApply(cells.map(({ rowNumber, value, edit }) => ({ rowNumber, field, text, before: { value, edit, kind } })))}
    >
      {t(value === '' ? 'batches.repair.alikeEmpty' : 'batches.repair.alike', { count: cells.length, value, text })}
      {total > cells.length && ` ${t('batches.repair.alikeOf', { total })}`}
    </Button>
  )
}
