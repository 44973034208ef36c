'use client'

import { useT } from '#components/ui/translations.tsx'
import type { WebhookAttemptDto } from '#lib/transaction-detail.ts'

/** Returns the outcome of a webhook attempt in words for the people who run the receiver. */
export function useWebhookWords(): (attempt: Pick<WebhookAttemptDto, 'outcome' | 'httpStatus'>) => string {
  const t = useT()
  return ({ outcome, httpStatus }) => t(`transaction.webhookOutcome.${outcome}`, { status: String(httpStatus ?? '') })
}
