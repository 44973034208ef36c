import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { Money } from '#components/domain/money.tsx'
import { Button } from '#components/ui/button.tsx'
import { Dialog, DialogActions } from '#components/ui/overlay/dialog.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { MessageKey } from '#lib/i18n/translate.ts'
import { queryKeys } from '#lib/pages/queries.ts'
import { SYNCHRONISED_AT_ONCE, type SynchroniseOutcome, type TransactionRow } from '#lib/payments/transactions/transaction-list.ts'
import { callAction } from '#lib/result.ts'
import { synchroniseSeveral } from '../actions.ts'

/** Transactions in one run, so that it ends while somebody waits for it. */
export const SYNCHRONISED_MAX = 50

/** `no_answer`: it was sent and nothing came back. `refused`: the service refused the request. `not_sent`: the run ended before it. */
type RunState = SynchroniseOutcome | 'waiting' | 'querying' | 'no_answer' | 'refused' | 'not_sent'

type Payment = Pick<TransactionRow, 'transactionId' | 'customerName' | 'amount' | 'currency'>
type RunLine = { row: Payment; state: RunState }

/** Synchronises transactions a few at a time. Each line shows an outcome only once the service has answered for it. */
export function useSynchroniseRun(application: string) {
  const queryClient = useQueryClient()
  const [lines, setLines] = useState<readonly RunLine[] | null>(null)
  const runs = useRef(0)

  async function start(rows: readonly Payment[]) {
    const run = ++runs.current
    let shown: readonly RunLine[] = rows.map((row) => ({ row, state: 'waiting' }))
    const show = (stateOf: (line: RunLine) => RunState) => {
      shown = shown.map((line) => ({ ...line, state: stateOf(line) }))
      if (runs.current === run) setLines(shown)
    }
    setLines(shown)
    for (let begin = 0; begin < rows.length && runs.current === run; begin += SYNCHRONISED_AT_ONCE) {
      const ids = rows.slice(begin, begin + SYNCHRONISED_AT_ONCE).map((row) => row.transactionId)
      const isSent = ({ row }: RunLine) => ids.includes(row.transactionId)
      show((line) => (isSent(line) ? 'querying' : line.state))
      const result = await callAction(() => synchroniseSeveral(application, { transactionIds: ids }))
      if (!result.ok) {
        const failed = result.error.code === 'offline' ? 'no_answer' : 'refused'
        show((line) => (isSent(line) ? failed : line.state === 'waiting' ? 'not_sent' : line.state))
        break
      }
      show((line) => result.value[line.row.transactionId] ?? line.state)
    }
    await queryClient.invalidateQueries({ queryKey: queryKeys.transactions(application) })
  }

  /** Items that were sent are still recorded by the service; the rest is not sent. */
  function stop() {
    runs.current++
    setLines(null)
  }

  return { lines, start, stop }
}

const WORDS: Record<RunState, MessageKey> = {
  waiting: 'transactions.synchronise.waiting',
  querying: 'transaction.synchronising',
  no_answer: 'action.offline',
  refused: 'action.unexpected',
  not_sent: 'transactions.synchronise.notSent',
  not_found: 'action.not_found',
  operator_unavailable: 'transaction.synchronised.unavailable',
  busy: 'transaction.synchronised.busy',
  throttled: 'transaction.synchronised.busy',
  SUCCESS: 'transaction.synchronised.SUCCESS',
  FAILED: 'transaction.synchronised.FAILED',
  PENDING: 'transaction.synchronised.PENDING',
  PENDING_APPROVAL: 'transaction.synchronised.PENDING_APPROVAL',
}

const COLOURS: Partial<Record<RunState, string>> = { SUCCESS: 'text-ok', FAILED: 'text-bad', waiting: 'text-quiet', not_sent: 'text-wait' }

/** Each transaction of a run by name with its outcome, while the answers arrive. Closing it sends nothing more. */
export function SynchroniseReport({ lines, onClose }: { lines: readonly RunLine[]; onClose: () => void }) {
  const t = useT()
  const open = lines.filter(({ state }) => state === 'waiting' || state === 'querying').length
  return (
    <Dialog title={t('transactions.synchronise.title')} onClose={onClose}>
      <p role="status" className="pb-2 text-ink-2 tabular">
        {t('transactions.synchronise.progress', { done: lines.length - open, total: lines.length })}
      </p>
      <ul aria-label={t('transactions.synchronise.title')}>
        {lines.map(({ row, state }) => (
          <li key={row.transactionId} className="border-b border-line py-2 last:border-b-0">
            <span className="flex flex-wrap justify-between gap-x-4">
              <bdi className="min-w-0 wrap-anywhere font-strong">{row.customerName}</bdi>
              <Money amount={row.amount} currency={row.currency} />
            </span>
            <span aria-busy={state === 'querying' || undefined} className={`block text-second ${COLOURS[state] ?? 'text-ink-2'}`}>
              {t(WORDS[state])}
            </span>
          </li>
        ))}
      </ul>
      <DialogActions>
        <Button variant={open === 0 ? 'primary' : 'quiet'} onClick={onClose}>
          {t(open === 0 ? 'ui.close' : 'transactions.synchronise.stop')}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
