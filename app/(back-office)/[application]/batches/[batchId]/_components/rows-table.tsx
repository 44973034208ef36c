import type { ReactNode } from 'react'
import { useAction } from '#components/form/use-action.tsx'
import { Button } from '#components/ui/button.tsx'
import { Table, TableCard, Td, Th, Tr } from '#components/ui/display/table.tsx'
import { DialogButton } from '#components/ui/overlay/dialog-button.tsx'
import { onDemand } from '#components/ui/overlay/on-demand.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import { BATCH_FIELDS } from '#lib/batches/batch-fields.ts'
import {
  type BatchRowDto,
  type CheckedBatchRow,
  type ProblemPages,
  problemText,
  type RowAccount,
  type RowFilter,
  warningText,
} from '#lib/batches/batches.ts'
import type { CellPlace } from '#lib/batches/cell-place.ts'
import { OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import { PAYMENT_TEXT_NAMES } from '#lib/payments/payment-fields.ts'
import { formatTime } from '#lib/time/format-time.ts'
import { editRows, excludeRows } from '../../actions.ts'
import { BATCH_CHANGE } from './corrections.tsx'
import { CellValue, type DrawCell, problemId } from './row-cells.tsx'

const EditRowDialog = onDemand(async () => (await import('./row-dialogs.tsx')).EditRowDialog)
const ExcludeRowDialog = onDemand(async () => (await import('./row-dialogs.tsx')).ExcludeRowDialog)

export type RowsProps = { application: string; batchId: string; version: number; rows: readonly CheckedBatchRow[]; mayChange: boolean }

export type RowTableProps = RowsProps & { show: RowFilter; page: number; pages: ProblemPages }
/** The first cell that somebody works on, and what was pasted on it; no cell if the page was left with texts that are not stored. */
export type FirstCell = { place: CellPlace | null; pasted: string | null }

/** The rows of the file with what was found about each. `drawCell` draws the cells that a maker can edit where they are. */
export function RowsTable({ rows, mayChange, drawCell, ...place }: RowsProps & { drawCell: DrawCell }) {
  const { t } = useTranslations()
  if (rows.length === 0) return <p className="text-ink-2">{t('batches.noRows')}</p>
  const head = (
    <>
      <Th align="end">{t('batches.row')}</Th>
      <Th>{t('payment.field.phoneNumber')}</Th>
      {PAYMENT_TEXT_NAMES.map((name) => (
        <Th key={name}>{t(`payment.field.${name}`)}</Th>
      ))}
      <Th>{t('payment.field.operator')}</Th>
      <Th align="end">{t('payment.field.amount')}</Th>
      <Th>{t('batches.findings')}</Th>
      {mayChange && <Th>{t('batches.actions')}</Th>}
    </>
  )
  return (
    <TableCard label={t('batches.rowTable')}>
      <Table caption={t('batches.rowTable')} isList head={head}>
        {rows.map((row) => (
          <Tr key={row.rowNumber} className={row.exclusion === null ? '' : 'text-quiet'}>
            <RowCells row={row} drawCell={drawCell} />
            {mayChange && (
              <Td>
                <RowActions {...place} row={row} />
              </Td>
            )}
          </Tr>
        ))}
      </Table>
    </TableCard>
  )
}

function RowCells({ row, drawCell }: { row: CheckedBatchRow; drawCell: DrawCell }) {
  const { t } = useTranslations()
  const cell = (field: Parameters<DrawCell>[1]): ReactNode => drawCell(row, field, <CellValue row={row} field={field} />)
  // The table has no column for it: it is shown where it is wrong, or was corrected.
  const hasCountry = row.edits.country !== undefined || row.problems.some(({ field }) => field === 'country')
  return (
    <>
      <Td align="end" label={t('batches.row')}>
        {row.rowNumber}
      </Td>
      <Td className="whitespace-nowrap">{cell('phoneNumber')}</Td>
      {PAYMENT_TEXT_NAMES.map((name) => (
        <Td key={name} className="min-w-32 @max-[560px]/card:basis-full @max-[560px]/card:font-medium">
          {cell(name)}
        </Td>
      ))}
      <Td>
        {cell('operator')}
        {hasCountry && (
          <span className="mt-1 block text-second">
            <span className="mr-2.5 text-quiet">{t('payment.field.country')}</span>
            {cell('country')}
          </span>
        )}
      </Td>
      <Td align="end" className="whitespace-nowrap">
        {cell('amount')}
      </Td>
      <Td className="min-w-52 @max-[560px]/card:basis-full">
        <Findings row={row} />
      </Td>
    </>
  )
}

function RowActions({ row, ...place }: Omit<RowsProps, 'rows' | 'mayChange'> & { row: BatchRowDto }) {
  const { t } = useTranslations()
  const { application, batchId, version } = place
  const { rowNumber, edits, exclusion } = row
  const include = useAction(() => excludeRows(application, { batchId, version, rowNumbers: [rowNumber], reason: null }), BATCH_CHANGE)
  const restore = useAction(() => {
    const fields = Object.fromEntries(BATCH_FIELDS.filter((field) => edits[field] !== undefined).map((field) => [field, null]))
    return editRows(application, { batchId, version, rows: [{ rowNumber, fields }] })
  }, BATCH_CHANGE)
  const error = include.error ?? restore.error
  const ofRow = <span className="sr-only">{t('batches.ofRow', { row: rowNumber })}</span>
  return (
    <span className="flex flex-wrap gap-2">
      <DialogButton size="small" dialog={(onClose) => <EditRowDialog {...place} row={row} onClose={onClose} />}>
        {t('batches.edit')}
        {ofRow}
      </DialogButton>
      {exclusion === null ? (
        <DialogButton size="small" dialog={(onClose) => <ExcludeRowDialog {...place} row={row} onClose={onClose} />}>
          {t('batches.exclude')}
          {ofRow}
        </DialogButton>
      ) : (
        <Button size="small" isBusy={include.isPending} onClick={() => include.run()}>
          {t('batches.include')}
          {ofRow}
        </Button>
      )}
      {Object.keys(edits).length > 0 && (
        <Button size="small" isBusy={restore.isPending} onClick={() => restore.run()}>
          {t('batches.repair.restore')}
          {ofRow}
        </Button>
      )}
      {error && (
        <span role="alert" className="basis-full text-second whitespace-normal text-bad">
          {error}
        </span>
      )}
    </span>
  )
}

function Findings({ row }: { row: CheckedBatchRow }) {
  const words = useTranslations()
  const { t } = words
  return (
    <ul className="grid gap-0.5 text-second">
      {row.exclusion !== null && <li>{t('batches.excludedBecause', { reason: row.exclusion })}</li>}
      {row.earlier && (
        <li className="text-wait">
          {t('batches.earlier', {
            time: formatTime(t, words.timeZone, new Date(row.earlier.at), 'day-time'),
            reason: t(`transaction.failure.${row.earlier.failure}.means`),
          })}
          {row.earlier.message && (
            <span className="block text-quiet">
              <bdi>{row.earlier.message}</bdi>
            </span>
          )}
        </li>
      )}
      {row.problems.map((problem, index) => (
        <li
          key={`${problem.field} ${problem.kind}`}
          // A cell refers to the first line about it.
          id={row.problems.findIndex(({ field }) => field === problem.field) === index ? problemId({ ...row, ...problem }) : undefined}
          className="text-bad"
        >
          {problemText(words, problem)}
        </li>
      ))}
      {row.warnings.map((warning) => (
        <li key={warning.kind} className="text-wait">
          {warningText(words, warning)}
        </li>
      ))}
      {row.account && row.operator && <AccountFinding account={row.account} operator={row.operator} />}
      {row.repairs.map((repair) => (
        <li key={repair.kind} className="text-ink-2">
          {t('batches.repairLine', { before: repair.before, after: repair.after })}
        </li>
      ))}
      {BATCH_FIELDS.map((field) => {
        const value = row.inFile[field]
        if (value === undefined) return null
        const name = t(`payment.field.${field}`)
        return (
          <li key={field} className="wrap-anywhere text-quiet">
            {value === '' ? t('batches.repair.wasEmpty', { field: name }) : t('batches.repair.inFile', { field: name, value })}
          </li>
        )
      })}
    </ul>
  )
}

/** The operator's answer about the account. Another name is a warning: the row can be submitted. */
function AccountFinding({ account, operator }: { account: RowAccount; operator: OperatorCode }) {
  const { t } = useTranslations()
  const { answer, holderName, isOtherName } = account
  // Never stored: such an operator is not asked.
  if (answer === 'not_offered') return null
  const found = holderName === null ? 'active' : isOtherName ? 'otherName' : 'named'
  return (
    <li className={isOtherName || answer !== 'active' ? 'text-wait' : 'text-quiet'}>
      {t(`payment.account.${answer === 'active' ? found : answer}`, { operator: OPERATORS[operator].brand, name: holderName ?? '' })}
    </li>
  )
}
