import type { ReactNode } from 'react'
import { PhoneText, timesText } from '#components/domain/payment.tsx'
import { Icon, type IconName } from '#components/ui/display/icon.tsx'
import { Link } from '#components/ui/link.tsx'
import { useNow, useTranslations } from '#components/ui/translations.tsx'
import type { ApprovalRow, ApprovalView } from '#lib/approvals/approvals.ts'
import { endedBy, UNUSUAL_FROM } from '#lib/approvals/evidence.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { OPERATORS } from '#lib/operators/operators.ts'
import { paths } from '#lib/pages/paths.ts'
import { formatAmount } from '#lib/text/format.ts'
import { formatRelative, formatTime } from '#lib/time/format-time.ts'

const DECIDERS_NAMED = 3

function Line({
  icon,
  isWarning = false,
  second,
  children,
}: {
  icon: IconName
  isWarning?: boolean
  second?: ReactNode
  children: ReactNode
}) {
  return (
    <li className="flex gap-2.5">
      <Icon name={icon} className={`mt-0.5 size-4 ${isWarning ? 'text-wait' : 'text-ink-3'}`} />
      <span className="min-w-0">
        <span className={`block ${isWarning ? 'font-medium' : ''}`}>{children}</span>
        {second && <span className="block text-second text-quiet">{second}</span>}
      </span>
    </li>
  )
}

/** The fields that the lines read, so that a payment that is still being written has them too. */
type EvidenceRow = Pick<ApprovalRow, 'type' | 'status' | 'operator' | 'currency' | 'needed' | 'given' | 'needsCode' | 'apiMayDecide'>
export type EvidenceView = Pick<ApprovalView, 'evidence' | 'deciders'> & { row: EvidenceRow }

/** The evidence before a decision: the beneficiary, the balance, and who can decide. */
export function EvidenceLines({ application, view }: { application: string; view: EvidenceView }) {
  const { row, evidence, deciders } = view
  const { t, locale, timeZone } = useTranslations()
  const money = (amount: string) => `${formatAmount(amount, locale)}\u00a0${row.currency}`
  const day = (at: string) => formatTime(t, timeZone, new Date(at), 'day-year')
  const { history, nameBefore, operatorBefore, namesakes } = evidence
  // After the decision, the balance that it would have left is of no use.
  const balance = row.status === 'PENDING_APPROVAL' ? evidence.balance : null
  const verb = row.type === 'DEPOSIT' ? 'paid' : 'collected'
  const operator = `${OPERATORS[row.operator].brand} ${t(`country.${OPERATORS[row.operator].country.name}`)}`
  return (
    <ul className="grid gap-3.5">
      {evidence.refund && <RefundLine application={application} refund={evidence.refund} money={money} day={day} />}
      {evidence.replaces && <ReplacedLine application={application} replaced={evidence.replaces} />}
      {evidence.contradicted.map((earlier) => (
        <ContradictedLine key={earlier.transactionId} application={application} earlier={earlier} money={money} />
      ))}
      {evidence.nearEqual.map((near) => (
        <NearEqualLine key={near.transactionId} application={application} near={near} verb={verb} money={money} />
      ))}
      {history ? (
        <History history={history} verb={verb} money={money} day={day} />
      ) : (
        <Line
          icon="info"
          isWarning
          second={evidence.failedBefore > 0 ? t('approvals.evidence.failedBefore', { count: evidence.failedBefore }) : undefined}
        >
          {t(`approvals.evidence.first.${verb}`)}
        </Line>
      )}
      {nameBefore && (
        <Line icon="people" isWarning second={t('approvals.evidence.nameAt', { day: day(nameBefore.at) })}>
          {t(nameBefore.isOtherSpelling ? 'approvals.evidence.spelling' : 'approvals.evidence.name', { name: nameBefore.name })}
        </Line>
      )}
      {evidence.account && <AccountLine account={evidence.account} operator={operator} />}
      {namesakes.length > 0 && (
        <Line icon="people" isWarning second={namesakes.map((phone) => <PhoneText key={phone} phoneNumber={phone} className="block" />)}>
          {t('approvals.evidence.namesake')}
        </Line>
      )}
      {operatorBefore && (
        <Line icon="refresh" isWarning>
          {t('approvals.evidence.operator', { operator: OPERATORS[operatorBefore].brand })}
        </Line>
      )}
      {balance && (
        <Line
          icon="wallet"
          isWarning={balance.afterThis.startsWith('-')}
          second={t('approvals.evidence.afterAll', { amount: money(balance.afterAllWaiting), count: balance.waitingCount })}
        >
          {t(balance.afterThis.startsWith('-') ? 'approvals.evidence.short' : 'approvals.evidence.after', {
            operator,
            amount: money(balance.afterThis),
          })}
        </Line>
      )}
      {deciders && <Deciders row={row} deciders={deciders} />}
    </ul>
  )
}

type Words = { verb: 'paid' | 'collected'; money: (amount: string) => string }

/** An earlier payment of the same amount that failed here and may have been executed. */
function ContradictedLine({
  application,
  earlier,
  money,
}: { application: string; earlier: ApprovalView['evidence']['contradicted'][number] } & Pick<Words, 'money'>) {
  const { t } = useTranslations()
  const now = useNow()
  return (
    <Line
      icon="alert"
      isWarning
      second={
        <>
          {t('approvals.evidence.contradictedText')}{' '}
          <Link href={paths.transaction(application, earlier.transactionId)} className="text-accent underline">
            {t('approvals.evidence.open')}
          </Link>
        </>
      }
    >
      {t('approvals.evidence.contradicted', { amount: money(earlier.amount), when: formatRelative(t, new Date(earlier.at), now) })}
    </Line>
  )
}

/** Another transaction that is nearly the same. */
function NearEqualLine({
  application,
  near,
  verb,
  money,
}: { application: string; near: ApprovalView['evidence']['nearEqual'][number] } & Words) {
  const { t } = useTranslations()
  const now = useNow()
  return (
    <Line
      icon="sign"
      isWarning
      second={
        <>
          {t(near.isSameName ? 'approvals.evidence.sameName' : 'approvals.evidence.otherName')}{' '}
          <Link href={paths.transaction(application, near.transactionId)} className="text-accent underline">
            {t('approvals.evidence.open')}
          </Link>
        </>
      }
    >
      {t(`approvals.evidence.near.${near.status === 'SUCCESS' ? verb : 'waiting'}`, {
        amount: money(near.amount),
        when: formatRelative(t, new Date(near.at), now),
      })}
    </Line>
  )
}

/** The operator's answer about the account, and whether its name is another one. */
function AccountLine({ account, operator }: { account: NonNullable<ApprovalView['evidence']['account']>; operator: string }) {
  const { t } = useTranslations()
  const now = useNow()
  const { answer, holderName, checkedAt, isOtherName } = account
  if (answer === 'unknown' || answer === 'not_offered') return null
  const when = checkedAt === null ? '' : t('approvals.evidence.checked', { when: formatRelative(t, new Date(checkedAt), now) })
  const name = holderName ?? ''
  const found = holderName === null ? 'active' : isOtherName ? 'otherName' : 'named'
  return (
    <Line icon="people" isWarning={isOtherName || answer !== 'active'} second={when}>
      {t(`approvals.evidence.account.${answer === 'active' ? found : answer}`, { operator, name })}
    </Line>
  )
}

/** The collect that this deposit refunds, with what its other refunds take. */
function RefundLine({
  application,
  refund,
  money,
  day,
}: {
  application: string
  refund: NonNullable<ApprovalView['evidence']['refund']>
  day: (at: string) => string
} & Pick<Words, 'money'>) {
  const { t } = useTranslations()
  return (
    <Line
      icon="refresh"
      second={
        <>
          {refund.otherCount === 0
            ? t('approvals.evidence.refundOnly')
            : t('approvals.evidence.refundOthers', { count: refund.otherCount, amount: money(refund.others) })}{' '}
          <Link href={paths.transaction(application, refund.collectId)} className="text-accent underline">
            {t('approvals.evidence.open')}
          </Link>
        </>
      }
    >
      {t('approvals.evidence.refund', { amount: money(refund.collected), day: day(refund.at) })}
    </Line>
  )
}

/** The transaction that this one was sent in place of, with what became of that one. */
function ReplacedLine({ application, replaced }: { application: string; replaced: NonNullable<ApprovalView['evidence']['replaces']> }) {
  const { t } = useTranslations()
  const now = useNow()
  const { event, reason, at, transactionId } = replaced
  return (
    <Line
      icon="refresh"
      isWarning
      second={
        <>
          {t(`approvals.evidence.replaced.${event}`, { name: endedBy(t, replaced), when: formatRelative(t, new Date(at), now) })}{' '}
          {reason && <bdi>{t('approvals.evidence.quoted', { text: reason })}</bdi>}{' '}
          <Link href={paths.transaction(application, transactionId)} className="text-accent underline">
            {t('approvals.evidence.open')}
          </Link>
        </>
      }
    >
      {t('approvals.evidence.resubmitted')}
    </Line>
  )
}

/** How often the number was paid and how much; what is unusual about the amount comes first. */
function History({
  history,
  verb,
  money,
  day,
}: {
  history: NonNullable<ApprovalView['evidence']['history']>
  day: (at: string) => string
} & Words) {
  const { t, locale } = useTranslations()
  const isUnusual = history.timesMedian >= UNUSUAL_FROM
  const past = t(`approvals.evidence.history.${verb}`, {
    more: history.isMore ? '≥\u00a0' : '',
    times: history.count,
    since: day(history.since),
    amount:
      history.median === history.largest
        ? money(history.median)
        : t('approvals.evidence.usual', { median: formatAmount(history.median, locale), largest: money(history.largest) }),
  })
  if (!isUnusual) {
    return (
      <Line icon="lines" second={t('approvals.evidence.last', { amount: money(history.lastAmount), day: day(history.lastAt) })}>
        {past}
      </Line>
    )
  }
  return (
    <Line icon="lines" isWarning second={past}>
      {t('approvals.evidence.times', { times: timesText(history.timesMedian, locale) })}
    </Line>
  )
}

/** Who can decide, unless it is only the person who is looking. Shown when too few people can as well, so that this is noticed before the item expires. */
function Deciders({ row, deciders }: { row: EvidenceRow; deciders: NonNullable<ApprovalView['deciders']> }) {
  const { t } = useTranslations()
  const missing = row.needed - row.given
  const count = deciders.others.length + (deciders.isMe ? 1 : 0)
  if (count === 0) {
    return (
      <Line icon="people" isWarning second={t('approvals.evidence.decidersNoneText')}>
        {t('approvals.evidence.decidersNone')}
      </Line>
    )
  }
  const names = decidersText(t, deciders)
  if (count < missing) {
    return (
      <Line icon="people" isWarning second={t('approvals.evidence.decidersFewText')}>
        {t('approvals.evidence.decidersFew', { missing, names })}
      </Line>
    )
  }
  if (deciders.isMe && missing === 1) return null
  // Its program can never give a one-time code.
  const isApiToo = row.apiMayDecide && !row.needsCode
  return (
    <Line icon="people" second={isApiToo && t('approvals.evidence.decidersApi')}>
      {t('approvals.evidence.deciders', { names })}
    </Line>
  )
}

function decidersText(t: Translate, { isMe, others }: NonNullable<ApprovalView['deciders']>): string {
  const all = [...(isMe ? [t('approvals.evidence.you')] : []), ...others]
  const names = all.slice(0, DECIDERS_NAMED).join(', ')
  return all.length <= DECIDERS_NAMED ? names : t('approvals.evidence.andMore', { names, count: all.length - DECIDERS_NAMED })
}
