import { type ReactNode, useEffect } from 'react'
import { OperatorMark } from '#components/domain/operator-mark.tsx'
import { PhoneText } from '#components/domain/payment.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import type { BatchField } from '#lib/batches/batch-fields.ts'
import type { BatchRowDto } from '#lib/batches/batches.ts'
import { CELL_FIELDS, type CellPlace } from '#lib/batches/cell-place.ts'
import { OPERATORS } from '#lib/operators/operators.ts'
import { moneyText } from '#lib/text/format.ts'

/** Draws one cell; `shown` is what it shows unless somebody edits it. */
export type DrawCell = (row: BatchRowDto, field: BatchField, shown: ReactNode) => ReactNode

/** Whether the cells of a row are edited where they are: it has problems, or corrections that may be corrected again. */
export function isRepairable(row: BatchRowDto): boolean {
  return row.exclusion === null && (row.problems.length > 0 || Object.keys(row.edits).length > 0)
}

/** The id of the line that says what is wrong in a cell. */
export function problemId({ rowNumber, field }: CellPlace): string {
  return `problem-${rowNumber}-${field}`
}

/** Where this tab keeps what this person typed and what is not stored. */
export function keptKey(readerId: string | null, batchId: string): string {
  return `cells ${readerId} ${batchId}`
}

/** The value of a cell as the service read it, or the text of the file where it could not. */
export function CellValue({ row, field }: { row: BatchRowDto; field: BatchField }) {
  const { locale } = useTranslations()
  if (field === 'phoneNumber' && row.phoneNumber) return <PhoneText phoneNumber={row.phoneNumber} />
  if (field === 'operator' && row.operator) return <OperatorMark code={row.operator} />
  if (field === 'amount' && row.amount && row.operator)
    return moneyText({ amount: row.amount, currency: OPERATORS[row.operator].country.currency }, locale)
  const read = field === 'customerName' || field === 'purpose' ? row[field] : null
  return <bdi>{read ?? row.typed[field]}</bdi>
}

type CellButtonProps = {
  row: BatchRowDto
  field: BatchField
  /** In place of the value: a text that is not stored, and whether it was refused. */
  unsaved?: { text: string; isHeld: boolean } | undefined
  onOpen: () => void
  children: ReactNode
}

/** A cell that is edited where it is. A paste on it is heard by `usePasteOnCell`. */
export function CellButton({ row, field, unsaved, onOpen, children }: CellButtonProps) {
  const { t } = useTranslations()
  const { rowNumber } = row
  const isWrong = row.problems.some((problem) => problem.field === field)
  const colour = unsaved
    ? unsaved.isHeld
      ? 'border-bad text-bad'
      : 'border-line-2 text-quiet'
    : isWrong
      ? 'border-bad'
      : 'border-transparent'
  const shown = unsaved ? unsaved.text : children
  return (
    <button
      type="button"
      data-cell={`${rowNumber} ${field}`}
      aria-describedby={isWrong && !unsaved ? problemId({ rowNumber, field }) : undefined}
      onClick={onOpen}
      className={`-mx-1.5 min-h-7 min-w-12 cursor-text rounded-sm border border-dashed px-1.5 text-start hover:border-line-2 hover:bg-sunken touch-target ${colour}`}
    >
      {shown === '' || (!unsaved && isEmpty(row, field)) ? (
        <span className="text-quiet">{isWrong || unsaved ? t('batches.repair.empty') : '–'}</span>
      ) : (
        shown
      )}
      <span className="sr-only">{t('batches.repair.cell', { field: t(`payment.field.${field}`), row: rowNumber })}</span>
    </button>
  )
}

function isEmpty(row: BatchRowDto, field: BatchField): boolean {
  const read = field === 'country' ? null : row[field]
  return !read && row.typed[field] === ''
}

/**
 * Hears a paste while a cell has the focus. The document hears it, because a browser sends the paste of a button to whatever holds its
 * selection.
 */
export function usePasteOnCell(onPaste: (place: CellPlace, text: string) => void): void {
  useEffect(() => {
    const hear = (event: ClipboardEvent) => {
      const place = placeOf(document.activeElement)
      const text = event.clipboardData?.getData('text/plain') ?? ''
      if (!place || text.trim() === '') return
      event.preventDefault()
      onPaste(place, text)
    }
    document.addEventListener('paste', hear)
    return () => document.removeEventListener('paste', hear)
  }, [onPaste])
}

function placeOf(element: Element | null): CellPlace | undefined {
  const [rowNumber, name] = element?.getAttribute('data-cell')?.split(' ') ?? []
  const field = CELL_FIELDS.find((each) => each === name)
  return field && { rowNumber: Number(rowNumber), field }
}
