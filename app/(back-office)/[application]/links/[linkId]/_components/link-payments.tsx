import { TimeText } from '#components/domain/time-text.tsx'
import { PageLinks } from '#components/ui/display/page-links.tsx'
import { ListTable } from '#components/ui/display/table.tsx'
import { Link } from '#components/ui/link.tsx'
import type { Locale } from '#lib/i18n/locale.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { OPERATORS } from '#lib/operators/operators.ts'
import { paths } from '#lib/pages/paths.ts'
import { type LinkPayment, PAYMENT_LINK_PAGE_SIZE, type PaymentLinkDto } from '#lib/payments/payment-links.ts'
import { moneyText } from '#lib/text/format.ts'
import { PaymentState } from './payment-state.tsx'

type Props = {
  t: Translate
  locale: Locale
  application: string
  link: PaymentLinkDto
  payments: readonly LinkPayment[]
  total: number
  page: number
}

const WIDE = '@max-[560px]/card:hidden'

/** The payments of a link, the newest first; what failed and may be paid all the same is marked. */
export function LinkPayments({ t, locale, application, link, payments, total, page }: Props) {
  return (
    <section aria-labelledby="link-payments" className="grid grid-cols-1 gap-3">
      <h2 id="link-payments">{t('links.payments')}</h2>
      {payments.length === 0 ? (
        <p className="text-ink-2">{t('links.noPayments')}</p>
      ) : (
        <ListTable
          label={t('links.payments')}
          rows={payments}
          keyOf={({ transactionId }) => transactionId}
          columns={[
            {
              head: t('links.payer'),
              cell: ({ transactionId, customerName, phoneNumber, operator }) => (
                <>
                  <Link
                    href={paths.transaction(application, transactionId)}
                    className="font-medium wrap-anywhere text-accent hover:underline"
                  >
                    <bdi>{customerName}</bdi>
                  </Link>
                  <span className="block text-second text-quiet tabular">{`${phoneNumber} · ${OPERATORS[operator].brand}`}</span>
                </>
              ),
            },
            { head: t('links.state'), cell: (payment) => <PaymentState payment={payment} /> },
            { head: t('links.amount'), align: 'end', cell: ({ amount }) => moneyText({ amount, currency: link.currency }, locale) },
            { head: t('links.time'), className: WIDE, cell: ({ createdAt }) => <TimeText at={createdAt} style="full" /> },
          ]}
        />
      )}
      <PageLinks
        t={t}
        locale={locale}
        page={page}
        size={PAYMENT_LINK_PAGE_SIZE}
        total={total}
        hrefFor={(next) => paths.paymentLink(application, link.linkId, { page: next || null })}
      />
    </section>
  )
}
