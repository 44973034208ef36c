import type { ReactNode } from 'react'
import { Money } from '#components/domain/money.tsx'
import { PhoneText } from '#components/domain/payment.tsx'
import { TimeText } from '#components/domain/time-text.tsx'
import { ButtonLink } from '#components/ui/button.tsx'
import { CopyButton } from '#components/ui/copy-button.tsx'
import { Facts } from '#components/ui/display/card.tsx'
import { Notice } from '#components/ui/display/empty-state.tsx'
import { Link } from '#components/ui/link.tsx'
import { useT, useTranslations } from '#components/ui/translations.tsx'
import { paths } from '#lib/pages/paths.ts'
import { PAYMENT_TEXT_NAMES } from '#lib/payments/payment-fields.ts'
import { newPaymentPath } from '#lib/payments/payment-preview.ts'
import type { ActorDto, TransactionDetailDto } from '#lib/payments/transactions/transaction-dto.ts'
import { balanceEffectOf } from '#lib/payments/transactions/transaction-timeline.ts'
import { formatUtc } from '#lib/time/format-time.ts'
import { Section, useActorName } from './timeline.tsx'

/** Every field, with a copy button for those that are read out on the phone. */
export function DetailFacts({ application, detail }: { application: string; detail: TransactionDetailDto }) {
  const t = useT()
  const copied = (name: string, text: string, shown: ReactNode = text) => ({
    name,
    value: (
      <span className="flex items-start gap-1">
        <span dir="auto" className="min-w-0 py-0.5 wrap-anywhere">
          {shown}
        </span>
        <CopyButton text={text} label={name} />
      </span>
    ),
  })
  const facts = [
    copied(t('transaction.id'), detail.transactionId),
    copied(t('transaction.externalId'), detail.externalId),
    copied(t('transaction.payToken'), detail.payToken),
    ...(detail.customerPage === null
      ? []
      : [
          {
            name: t('transaction.customerPage'),
            value: (
              <a href={detail.customerPage} target="_blank" rel="noreferrer" className="inline-block py-0.5 text-accent hover:underline">
                {t('transaction.openCustomerPage')}
              </a>
            ),
          },
        ]),
    ...(detail.operatorReference === null ? [] : [copied(t('transaction.operatorReference'), detail.operatorReference)]),
    ...(detail.operatorReferenceOther === null ? [] : [copied(t('transaction.operatorReferenceOther'), detail.operatorReferenceOther)]),
    ...PAYMENT_TEXT_NAMES.filter((name) => detail[name] !== '').map((name) => copied(t(`payment.field.${name}`), detail[name])),
    copied(t('payment.field.phoneNumber'), detail.phoneNumber, <PhoneText phoneNumber={detail.phoneNumber} />),
    { name: t('transaction.madeBy'), value: <MadeBy maker={detail.maker} source={detail.source} /> },
    { name: t('transaction.createdAt'), value: <BothTimes at={detail.createdAt} /> },
    ...(detail.finalAt ? [{ name: t('transaction.finalAt'), value: <BothTimes at={detail.finalAt} /> }] : []),
    ...(detail.batchId
      ? [
          {
            name: t('transaction.batch'),
            value: (
              <Link className="wrap-anywhere text-accent hover:underline" href={paths.transactions(application, { batch: detail.batchId })}>
                {detail.batchId}
              </Link>
            ),
          },
        ]
      : []),
    ...(detail.webhookUrl === null ? [] : [copied(t('transaction.webhookUrl'), detail.webhookUrl)]),
  ]
  return (
    <Section title={t('transaction.fields')}>
      <Facts facts={facts} nameClass="w-32 py-0.5" />
    </Section>
  )
}

function MadeBy({ maker, source }: { maker: ActorDto; source: TransactionDetailDto['source'] }) {
  const t = useT()
  const nameOf = useActorName()
  return (
    <span className="block py-0.5">
      <bdi>{nameOf(maker)}</bdi> {source !== 'person' && <span className="text-quiet">{t(`source.${source}`)}</span>}
    </span>
  )
}

/** The person's local time, followed by UTC for comparison with an operator's statement. */
function BothTimes({ at }: { at: string }) {
  const { t, timeZone } = useTranslations()
  return (
    <span className="flex flex-wrap gap-x-2 py-0.5">
      <TimeText at={at} style="full" />
      {timeZone === 'UTC' ? 'UTC' : <span className="text-second text-quiet tabular">{formatUtc(t, new Date(at))}</span>}
    </span>
  )
}

/** The amount, the fees and their effect on the balance. */
export function FeeFacts({ detail }: { detail: TransactionDetailDto }) {
  const t = useT()
  const balance = balanceEffectOf(detail)
  const lines = [
    { name: t('transaction.amount'), amount: detail.amount },
    { name: t('transaction.feesSystem'), amount: detail.feesSystem },
    { name: t('transaction.feesApp'), amount: detail.feesApp },
    { name: t(`transaction.balance.${balance.effect}`), amount: balance.amount },
  ]
  return (
    <Section title={t('transaction.money')}>
      <dl className="grid gap-1">
        {lines.map(({ name, amount }) => (
          <div key={name} className="flex justify-between gap-4">
            <dt className="text-quiet">{name}</dt>
            <dd>
              <Money amount={amount} currency={detail.currency} />
            </dd>
          </div>
        ))}
      </dl>
    </Section>
  )
}

/** The ledger entries of the transaction; each posting sums to zero. */
export function LedgerList({ detail: { entries, currency } }: { detail: TransactionDetailDto }) {
  const t = useT()
  return (
    <Section title={t('transaction.ledger')}>
      {entries.length === 0 ? (
        <p className="text-ink-2">{t('transaction.noEntries')}</p>
      ) : (
        <ul aria-label={t('transaction.ledger')}>
          {entries.map((entry) => (
            <li
              key={`${entry.kind} ${entry.account}`}
              className="flex flex-wrap justify-between gap-x-4 border-b border-line py-2 last:border-b-0"
            >
              <span>
                <span className="font-medium">{t(`transaction.postingKind.${entry.kind}`)}</span>
                <span className="text-ink-2">{` · ${t(`transaction.ledgerAccount.${entry.account}`)}`}</span>
                <TimeText at={entry.at} style="full" className="block text-second text-quiet" />
              </span>
              <Money amount={entry.amount} currency={currency} />
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}

type Props = { application: string; detail: TransactionDetailDto; canCreate: boolean }

/** The transactions that this one replaces and is replaced by, and the link to replace it. Renders nothing if there are none. */
export function Lineage({ application, detail: { transactionId, events, replaces, replacedBy, isReplaceable }, canCreate }: Props) {
  const t = useT()
  const to = (other: { transactionId: string }) => (
    <Link href={paths.transaction(application, other.transactionId)} className="underline">
      {t('transaction.lineage.open')}
    </Link>
  )
  return (
    <div className="grid gap-2 empty:hidden">
      {replaces && <Notice action={to(replaces)}>{t('transaction.lineage.replaces')}</Notice>}
      {replacedBy && <Notice action={to(replacedBy)}>{t('transaction.lineage.replacedBy')}</Notice>}
      {isReplaceable && canCreate && (
        <ButtonLink href={newPaymentPath(application, { from: transactionId })} variant="primary" className="no-print justify-self-start">
          {t(events.at(-1)?.event === 'failed' ? 'transaction.lineage.payAgain' : 'transaction.lineage.repair')}
        </ButtonLink>
      )}
    </div>
  )
}
