import { TimeText } from '#components/domain/time-text.tsx'
import { Badge, type Tone } from '#components/ui/display/badge.tsx'
import { ListTable } from '#components/ui/display/table.tsx'
import { Link } from '#components/ui/link.tsx'
import type { Locale } from '#lib/i18n/locale.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { paths } from '#lib/pages/paths.ts'
import { countExcess, type PaymentLinkItem, type PaymentLinkState } from '#lib/payments/payment-links.ts'
import { formatCount, moneyText } from '#lib/text/format.ts'

const TONES: Record<PaymentLinkState, Tone> = { open: 'run', paid: 'ok', expired: 'neutral', closed: 'neutral' }

/** The state of a link, and a warning beside it if it was paid too often. */
export function LinkStateBadge({ t, link }: { t: Translate; link: PaymentLinkItem }) {
  return (
    <span className="inline-flex flex-wrap gap-1">
      <Badge tone={TONES[link.state]} hasDot>
        {t(`links.state.${link.state}`)}
      </Badge>
      {countExcess(link) > 0 && <Badge tone="bad">{t('links.paidTwice')}</Badge>}
    </span>
  )
}

/** The amount of a link, or the limits of what a customer enters. */
export function linkAmount(t: Translate, locale: Locale, { amount, minimum, maximum, currency }: PaymentLinkItem): string {
  const money = (decimal: string | null) => moneyText({ amount: decimal ?? '0', currency }, locale)
  return amount === null ? t('links.between', { minimum: money(minimum), maximum: money(maximum) }) : money(amount)
}

type Props = { t: Translate; locale: Locale; application: string; links: readonly PaymentLinkItem[] }

/** In a narrow card a link has two cells: what it is for, and what came in. */
const WIDE = '@max-[560px]/card:hidden'
const NARROW = 'block text-second text-quiet @min-[560px]/card:hidden'

export function LinkTable({ t, locale, application, links }: Props) {
  return (
    <ListTable
      label={t('frame.paymentLinks')}
      rows={links}
      keyOf={({ linkId }) => linkId}
      columns={[
        {
          head: t('links.purpose'),
          cell: (link) => (
            <>
              <Link href={paths.paymentLink(application, link.linkId)} className="font-medium wrap-anywhere text-accent hover:underline">
                <bdi>{link.purpose}</bdi>
              </Link>
              <span className="block text-second text-quiet">
                {link.paymentsMax === 1
                  ? t('links.once')
                  : link.paymentsMax === null
                    ? t('links.reusable')
                    : t('links.upTo', { count: link.paymentsMax })}
              </span>
              <span className={NARROW}>{linkAmount(t, locale, link)}</span>
              <span className="block pt-1 @min-[560px]/card:hidden">
                <LinkStateBadge t={t} link={link} />
              </span>
            </>
          ),
        },
        { head: t('links.state'), className: WIDE, cell: (link) => <LinkStateBadge t={t} link={link} /> },
        { head: t('links.amount'), align: 'end', className: WIDE, cell: (link) => linkAmount(t, locale, link) },
        { head: t('links.payments'), align: 'end', className: WIDE, cell: ({ paidCount }) => formatCount(paidCount, locale) },
        {
          head: t('links.collected'),
          align: 'end',
          cellClass: '@max-[560px]/card:align-top',
          cell: ({ collected, currency, paidCount }) => (
            <>
              <span className="whitespace-nowrap">{moneyText({ amount: collected, currency }, locale)}</span>
              <span className={NARROW}>{t('links.paymentCount', { count: paidCount })}</span>
            </>
          ),
        },
        {
          head: t('links.created'),
          className: WIDE,
          cellClass: 'whitespace-nowrap',
          cell: ({ createdBy, createdAt }) => (
            <>
              <bdi>{createdBy}</bdi>
              <TimeText at={createdAt} style="full" className="block text-second text-quiet" />
            </>
          ),
        },
      ]}
    />
  )
}
