'use client'

import { StatusBadge } from '#components/domain/payment.tsx'
import { Badge } from '#components/ui/display/badge.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { LinkPayment } from '#lib/payments/payment-links.ts'

/** The status of a payment of a link; one that failed and may be paid all the same is marked. */
export function PaymentState({ payment: { status, isLate, isDoubted } }: { payment: LinkPayment }) {
  const t = useT()
  return (
    <span className="inline-flex flex-wrap gap-1">
      <StatusBadge status={status} />
      {isLate && <Badge tone="bad">{t('links.late')}</Badge>}
      {isDoubted && !isLate && <Badge tone="bad">{t('links.doubted')}</Badge>}
    </span>
  )
}
