'use client'

import { useState } from 'react'
import { definePart, LazyPart } from '#components/ui/lazy-part.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { Skeleton } from '#components/ui/skeleton.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { NewPaymentState } from '../read-new-payment.ts'
import { OpenWork } from './open-work.tsx'
import { OriginNotice } from './origin-notice.tsx'
import { PaymentResult } from './payment-result.tsx'

/** Rendered on the server like the rest; its script follows, because it brings react-hook-form and zod. */
const FORM = definePart(() => import('./payment-form.tsx'))

type Props = Omit<NewPaymentState, 'sent'> & { application: string; personId: string; externalId: string; sentId: string | null }

/** The form of a payment, and once it is sent what becomes of it. */
export function NewPayment({ application, personId, externalId, sentId, origin, initial, isDraft, drafts, returned, disturbed }: Props) {
  const t = useT()
  const [sent, setSent] = useState(sentId)
  if (sent !== null) return <PaymentResult application={application} transactionId={sent} />
  const openWork = <OpenWork application={application} drafts={drafts} returned={returned} />
  const mayWrite = origin === null || origin.isReplaceable
  return (
    <>
      <PageHeader title={t('frame.newPayment')} lead={t('payment.lead')} />
      <div className="mt-5 grid gap-8">
        {origin && <OriginNotice application={application} origin={origin} />}
        {mayWrite ? (
          <LazyPart
            part={FORM}
            props={{
              application,
              personId,
              externalId,
              originId: origin?.transactionId ?? null,
              initial,
              isDraft,
              disturbed,
              onSent: setSent,
              below: openWork,
            }}
            fallback={<Skeleton className="h-[30rem] w-full" />}
          />
        ) : (
          openWork
        )}
      </div>
    </>
  )
}
