import type { useTranslations } from '#components/ui/translations.tsx'
import { formatPhone, shortenId } from '#lib/format.ts'
import { formatTime } from '#lib/format-time.ts'
import { NO_WEBHOOK, type TransactionQuery } from '#lib/transaction-query.ts'
import type { Person } from './filter-types.ts'

/** Returns the set filters without a permanent chip, and the address without each. */
export function appliedOf(
  query: TransactionQuery,
  makers: readonly Person[],
  { t, timeZone }: ReturnType<typeof useTranslations>,
): { words: string; without: Partial<TransactionQuery> }[] {
  const time = (at: string) => formatTime(t, timeZone, new Date(at), 'day-time')
  const makerName = (id: string) =>
    id === 'api' ? t('transactions.madeByApi') : (makers.find((each) => each.personId === id)?.name ?? shortenId(id))
  return [
    ...query.country.map((country) => ({
      words: t(`country.${country}`),
      without: { country: query.country.filter((each) => each !== country) },
    })),
    ...query.currency.map((currency) => ({ words: currency, without: { currency: query.currency.filter((each) => each !== currency) } })),
    ...(query.phone ? [{ words: `${t('transactions.phone')} ${formatPhone(query.phone)}`, without: { phone: '' } }] : []),
    ...(query.name ? [{ words: `${t('transactions.name')} ${query.name}`, without: { name: '' } }] : []),
    ...(query.batch ? [{ words: `${t('transactions.batch')} ${shortenId(query.batch)}`, without: { batch: null } }] : []),
    ...(query.maker ? [{ words: `${t('transactions.maker')} ${makerName(query.maker)}`, without: { maker: null } }] : []),
    ...query.reason.map((reason) => ({
      words: t(`transactions.reason.${reason}`),
      without: { reason: query.reason.filter((each) => each !== reason) },
    })),
    ...(query.unconfirmed
      ? [{ words: t('transactions.unconfirmed'), without: { unconfirmed: null, unconfirmedAfter: null, unconfirmedBefore: null } }]
      : []),
    ...(query.webhook
      ? [
          {
            words: [
              t(`transactions.webhook.${query.webhook}`),
              query.webhookTarget,
              [query.webhookAfter, query.webhookBefore].map((at) => at && time(at)).join(' – '),
            ]
              .filter((part) => part && part !== ' – ')
              .join(' · '),
            without: NO_WEBHOOK,
          },
        ]
      : []),
  ]
}
