'use client'

import { useT } from '#components/ui/translations.tsx'
import type { WebhookAttemptDto } from '#lib/transaction-detail.ts'

/** What became of an attempt to deliver, for whoever runs the receiver: what they did, and what counts. */
export function useWebhookWords(): (attempt: Pick<WebhookAttemptDto, 'outcome' | 'httpStatus'>) => string {
  const t = useT()
  return ({ outcome, httpStatus }) => t(`transaction.webhookOutcome.${outcome}`, { status: String(httpStatus ?? '') })
}
