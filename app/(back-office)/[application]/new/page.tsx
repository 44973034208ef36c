import { randomUUID } from 'node:crypto'
import { dehydrate } from '@tanstack/react-query'
import type { Metadata } from 'next'
import { redirect } from 'next/navigation'
import { PageData } from '#components/frame/page-data.tsx'
import { PageMessages } from '#components/ui/translations.tsx'
import { MESSAGES } from '#lib/i18n/messages.ts'
import { pickMessages } from '#lib/i18n/translate.ts'
import { queryKeys } from '#lib/pages/query-keys.ts'
import { newPaymentPath } from '#lib/payments/payment-preview.ts'
import { paymentAddressSchema } from '#lib/schemas/payment.ts'
import { readAddress } from '#lib/schemas/read-address.ts'
import { requireActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT, readLocale } from '#server/back-office/preferences.ts'
import { getQueryClient } from '#server/back-office/query-client.ts'
import { WrongAddress } from '../_components/wrong-address.tsx'
import { NewPayment } from './_components/new-payment.tsx'
import { readNewPayment } from './read-new-payment.ts'

type Props = { params: Promise<{ application: string }>; searchParams: Promise<Record<string, string | string[] | undefined>> }

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getT())('frame.newPayment') }
}

/**
 * The form of one payment. Its identity is in the address, so that a reload, a second window or a lost answer is the same payment; once
 * it is sent, the same address shows what became of it.
 */
export default async function NewPaymentPage({ params, searchParams }: Props) {
  const { application } = await params
  const actor = await requireActor(application, 'transaction:create')
  const address = readAddress(paymentAddressSchema, await searchParams)
  if (!address.ok) return <WrongAddress href={newPaymentPath(application)} />
  const { payment, from } = address.value
  if (payment === undefined) redirect(newPaymentPath(application, { payment: randomUUID(), from }))
  const [locale, { sent, ...state }] = await Promise.all([readLocale(), readNewPayment(backOfficeRuntime(), actor, payment, from ?? null)])
  const queryClient = getQueryClient()
  if (sent) queryClient.setQueryData(queryKeys.transaction(application, sent.transactionId), sent)
  return (
    <PageData state={dehydrate(queryClient)}>
      <PageMessages messages={pickMessages(MESSAGES[locale], ['payment.', 'availability.', 'approvals.', 'transaction.', 'source.'])}>
        {/* Another payment is another form: nothing that was typed into the one before stays. */}
        <NewPayment
          key={payment}
          application={application}
          personId={actor.id}
          externalId={payment}
          sentId={sent?.transactionId ?? null}
          {...state}
        />
      </PageMessages>
    </PageData>
  )
}
