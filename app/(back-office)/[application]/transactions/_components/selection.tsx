'use client'

import { Button } from '#components/ui/button.tsx'
import { SelectionBar } from '#components/ui/selection-bar.tsx'
import { useT } from '#components/ui/translations.tsx'
import { addDecimals, type Currency } from '#lib/money.ts'
import type { QueryValues } from '#lib/paths.ts'
import type { SumDto, TransactionRow } from '#lib/transaction-row.ts'
import { ExportForm } from './export-menu.tsx'
import { Sums } from './list-header.tsx'
import { SynchroniseReport } from './synchronise-report.tsx'
import { SYNCHRONISED_MAX, useSynchroniseRun } from './use-synchronise-run.ts'

type SelectionProps = {
  application: string
  address: QueryValues
  rows: readonly TransactionRow[]
  /** What the list shows, in order. */
  columns: readonly string[]
  canExport: boolean
  onClear: () => void
}

/** The selection across pages: count, sums per currency, and actions. */
export default function Selection({ application, address, rows, columns, canExport, onClear }: SelectionProps) {
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

function sumsOf(rows: readonly TransactionRow[]): SumDto[] {
  const sums = new Map<Currency, SumDto>()
  for (const { currency, amount } of rows) {
    const sum = sums.get(currency) ?? { currency, count: 0, amount: '0' }
    sums.set(currency, { currency, count: sum.count + 1, amount: addDecimals(sum.amount, amount) })
  }
  return [...sums.values()]
}
