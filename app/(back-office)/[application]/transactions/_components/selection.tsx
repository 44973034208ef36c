import { Button } from '#components/ui/button.tsx'
import { SelectionBar } from '#components/ui/display/card.tsx'
import { useT } from '#components/ui/translations.tsx'
import { addDecimals } from '#lib/money/money.ts'
import type { QueryValues } from '#lib/pages/paths.ts'
import type { ListSumDto, TransactionRow } from '#lib/payments/transactions/transaction-list.ts'
import { ExportForm } from './export-menu.tsx'
import { Sums } from './list-header.tsx'
import { SYNCHRONISED_MAX, SynchroniseReport, useSynchroniseRun } from './synchronise-run.tsx'

type Props = {
  application: string
  address: QueryValues
  rows: readonly TransactionRow[]
  /** The visible columns, in order. */
  columns: readonly string[]
  canExport: boolean
  onClear: () => void
}

/** The selection across pages: count, sums per currency, and actions. */
export default function Selection({ application, address, rows, columns, canExport, onClear }: Props) {
  const t = useT()
  const ids = rows.map((row) => row.transactionId)
  const run = useSynchroniseRun(application)
  const pending = rows.filter((row) => row.status === 'PENDING').slice(0, SYNCHRONISED_MAX)
  return (
    <>
      <SelectionBar
        label={t('transactions.selection')}
        summary={
          <>
            <strong>{t('table.selected', { count: rows.length })}</strong>
            <Sums sums={sumsOf(rows)} />
          </>
        }
      >
        {pending.length > 0 && (
          <Button variant="inverse" onClick={() => void run.start(pending)}>
            {t('transactions.synchronise', { count: pending.length })}
          </Button>
        )}
        {canExport && (
          <>
            <ExportForm
              application={application}
              address={address}
              format="csv"
              ids={ids}
              columns={columns}
              variant="inverse"
              label={t('transactions.exportCsv')}
            />
            <ExportForm
              application={application}
              address={address}
              format="xlsx"
              ids={ids}
              columns={columns}
              variant="inverse"
              label={t('transactions.exportXlsx')}
            />
          </>
        )}
        <Button variant="inverse-quiet" onClick={onClear}>
          {t('transactions.clearSelection')}
        </Button>
      </SelectionBar>
      {run.lines && <SynchroniseReport lines={run.lines} onClose={run.stop} />}
    </>
  )
}

function sumsOf(rows: readonly TransactionRow[]): ListSumDto[] {
  const sums = new Map<string, ListSumDto>()
  for (const { currency, type, status, amount } of rows) {
    const key = `${currency} ${type} ${status}`
    const sum = sums.get(key) ?? { currency, type, status, count: 0, amount: '0', fees: null }
    sums.set(key, { ...sum, count: sum.count + 1, amount: addDecimals(sum.amount, amount) })
  }
  return [...sums.values()]
}
