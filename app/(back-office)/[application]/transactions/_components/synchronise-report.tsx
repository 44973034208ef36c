'use client'

import { Money } from '#components/domain/money.tsx'
import { Button } from '#components/ui/button.tsx'
import { Dialog, DialogActions } from '#components/ui/dialog.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { MessageKey } from '#lib/i18n/translate.ts'
import type { RunLine, RunState } from './use-synchronise-run.ts'

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
