import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { Evidence } from '#components/decision/approval-evidence.tsx'
import { DecisionControls } from '#components/decision/decision-buttons.tsx'
import { progressText, reasonText } from '#components/decision/decision-text.tsx'
import { Attachment } from '#components/domain/attachment.tsx'
import { ButtonLink } from '#components/ui/button.tsx'
import { Skeleton } from '#components/ui/display/page.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import { queries, queryKeys } from '#lib/pages/queries.ts'
import { newPaymentPath } from '#lib/payments/payment-preview.ts'
import type { TransactionDetailDto } from '#lib/payments/transactions/transaction-dto.ts'
import { decideTransactions, recallWaiting } from '../../../approvals/actions.ts'

type Props = {
  application: string
  detail: Pick<TransactionDetailDto, 'transactionId' | 'status' | 'refundOf'>
  /** Keeps the buttons visible above the navigation of a phone. */
  isPage?: boolean
}

/**
 * Why the transaction waits, the evidence, and Validate and Reject or why they are not offered. Nothing where it did not wait when it was
 * opened; what was decided since stays in its place and says so.
 */
export function ApprovalDecision({ application, detail: { transactionId, status, refundOf }, isPage = false }: Props) {
  const { t, locale } = useTranslations()
  const queryClient = useQueryClient()
  const card = useRef<HTMLElement>(null)
  const [wasWaiting] = useState(status === 'PENDING_APPROVAL')
  const [decisions, setDecisions] = useState(0)
  const { data } = useQuery({ ...queries.approval(application, transactionId), enabled: wasWaiting })
  // The pressed button is removed, so focus moves to its section.
  useEffect(() => {
    if (decisions > 0) card.current?.focus()
  }, [decisions])
  if (!wasWaiting) return null
  if (!data) return <Skeleton className="h-56 w-full" />
  const { row } = data
  const isWaiting = row.status === 'PENDING_APPROVAL'
  return (
    <section
      ref={card}
      tabIndex={-1}
      aria-label={t('approvals.decision')}
      className="no-print grid gap-4 rounded-lg border border-line bg-surface p-4"
    >
      <p>
        {reasonText(t, locale, row)}
        <span className="block text-second text-quiet">{progressText(t, row)}</span>
      </p>
      {isWaiting && <Evidence application={application} transactionId={transactionId} payment={row} />}
      {isWaiting && <Attachment application={application} transactionId={transactionId} attachment={row.attachment} />}
      <div
        className={
          isPage && isWaiting
            ? 'max-md:fixed max-md:inset-x-0 max-md:bottom-14 max-md:z-20 max-md:border-t max-md:border-line max-md:bg-surface max-md:px-4 max-md:py-2'
            : ''
        }
      >
        {/* A refund counts against its collect: it is recalled and made again there. */}
        {row.canRecall === true && refundOf === null && (
          <ButtonLink href={newPaymentPath(application, { from: transactionId })} className="mb-2">
            {t('approvals.edit')}
          </ButtonLink>
        )}
        <DecisionControls
          application={application}
          row={row}
          actions={{ decide: decideTransactions, recall: recallWaiting }}
          onDecided={() => {
            setDecisions((count) => count + 1)
            void queryClient.invalidateQueries({ queryKey: queryKeys.approvals(application) })
            void queryClient.invalidateQueries({ queryKey: queryKeys.transactions(application) })
          }}
        />
      </div>
    </section>
  )
}
