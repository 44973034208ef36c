import { randomUUID } from 'node:crypto'
import { redirect } from 'next/navigation'
import { paths } from '#lib/pages/paths.ts'
import { queries, seed } from '#lib/pages/queries.ts'
import { newPaymentPath } from '#lib/payments/payment-preview.ts'
import { paymentAddressSchema } from '#lib/schemas/payment.ts'
import { readAddress } from '#lib/schemas/read-address.ts'
import { requireActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { PageContent, type PageProps, titled } from '../_components/page-content.tsx'
import { WrongAddress } from '../_components/wrong-address.tsx'
import { NewPayment } from './_components/new-payment.tsx'
import { readNewPayment } from './read-new-payment.ts'

export const generateMetadata = titled('frame.newPayment')

/**
 * The form of one payment. Its identity is in the address, so that a reload, a second window or a lost answer is the same payment; once
 * it is sent, the same address shows what became of it.
 */
export default async function NewPaymentPage({ params, searchParams }: PageProps) {
  const { application } = await params
  const actor = await requireActor(application, 'transaction:create')
  const address = readAddress(paymentAddressSchema, await searchParams)
  if (!address.ok) return <WrongAddress href={newPaymentPath(application)} />
  const { payment, from, to } = address.value
  if (payment === undefined) redirect(newPaymentPath(application, { payment: randomUUID(), from, to }))
  const { sent, ...state } = await readNewPayment(backOfficeRuntime(), actor, payment, { from: from ?? null, to: to ?? null })
  // In the place of a refund comes another refund, which is made on the page of its collect.
  if (!sent && state.origin?.refundOf) redirect(paths.transaction(application, state.origin.refundOf.transactionId))
  return (
    <PageContent
      words={['payment.', 'availability.', 'approvals.', 'transaction.', 'source.', 'attachment.']}
      data={sent ? [seed(queries.transaction(application, sent.transactionId), sent)] : []}
    >
      {/* Another payment is another form: nothing that was typed into the one before stays. */}
      <NewPayment
        key={payment}
        application={application}
        personId={actor.id}
        externalId={payment}
        sentId={sent?.transactionId ?? null}
        {...state}
      />
    </PageContent>
  )
}
