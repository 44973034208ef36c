import { useQuery } from '@tanstack/react-query'
import { queries } from '#lib/pages/queries.ts'
import { isFinalStatus } from '#lib/payments/transactions/transaction-status.ts'

const OPEN_REFRESH_MS = 4_000
const WEBHOOK_REFRESH_MS = 15_000
/** Somebody waits for the result of a resend. */
const RESEND_REFRESH_MS = 1_000

/** Loads one transaction and refreshes it while it or its webhook can still change. */
export function useTransaction(application: string, transactionId: string) {
  return useQuery({
    ...queries.transaction(application, transactionId),
    refetchInterval: ({ state: { data } }) => {
      if (!data) return false
      if (!isFinalStatus(data.status)) return OPEN_REFRESH_MS
      if (data.webhook?.waitingResend || data.webhook?.resendObstacle?.code === 'attempt_in_progress') return RESEND_REFRESH_MS
      return data.webhook?.state === 'due' ? WEBHOOK_REFRESH_MS : false
    },
  })
}
