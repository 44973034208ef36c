import type { ReactNode } from 'react'
import { AvailabilityBadge } from '#components/domain/availability-badge.tsx'
import { Money } from '#components/domain/money.tsx'
import { OperatorMark } from '#components/domain/operator-mark.tsx'
import { TimeText } from '#components/domain/time-text.tsx'
import { Badge } from '#components/ui/display/badge.tsx'
import { ListTable } from '#components/ui/display/table.tsx'
import { Link } from '#components/ui/link.tsx'
import type { Locale } from '#lib/i18n/locale.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import { paths } from '#lib/pages/paths.ts'
import type { DirectionState, OperatorDirection, ReportedBalance } from '../read-operators.ts'
import { TestButton } from './operator-buttons.tsx'
import { figuresOf, protocolText } from './operator-words.ts'
import { UnconfirmedLink } from './unconfirmed-link.tsx'

/** Whether an application may use a direction, and through which protocol it is reached. */
export function ServiceState({ t, direction: { isEnabled, protocol } }: { t: Translate; direction: DirectionState }) {
  if (protocol === null) return <Badge tone="bad">{t('operators.notConnected')}</Badge>
  return (
    <>
      {isEnabled ? <Badge tone="ok">{t('operators.on')}</Badge> : <Badge>{t('operators.off')}</Badge>}
      <span className="block text-second text-quiet">{t('operators.through', { protocol: protocolText(t, protocol) })}</span>
    </>
  )
}

/** Where the table is narrow, the first cell says whether the operator works, and the rest is left out. */
const WIDE = '@max-[640px]/card:hidden'

type Props = { t: Translate; locale: Locale; application: string; directions: readonly OperatorDirection[] }

/** A row per operator and direction: availability, what became of its transactions, how fast submissions were answered. */
export function OutcomeTable({ t, locale, application, directions }: Props) {
  return (
    <ListTable
      label={t('operators.outcomes')}
      className="mt-2"
      rows={directions.map((direction) => ({ direction, figures: figuresOf(t, locale, direction) }))}
      keyOf={({ direction: { operator, type } }) => `${operator} ${type}`}
      rowClass="whitespace-nowrap"
      columns={[
        {
          head: t('operators.operator'),
          cell: ({ direction }) => <DirectionName t={t} application={application} direction={direction} />,
        },
        { head: t('operators.availability'), className: WIDE, cell: ({ direction }) => <State t={t} direction={direction} /> },
        {
          head: t('operators.succeeded'),
          align: 'end',
          cell: ({ figures }) => <Figure second={t('operators.of', { count: figures.ended })}>{figures.succeeded}</Figure>,
        },
        { head: t('operators.failed'), align: 'end', className: WIDE, cell: ({ figures }) => figures.failed },
        {
          head: t('operators.open'),
          align: 'end',
          className: WIDE,
          cell: ({ direction: { operator, type, unconfirmed }, figures }) => (
            <>
              <span className="block">{figures.open}</span>
              <UnconfirmedLink t={t} application={application} operator={operator} type={type} count={unconfirmed} />
            </>
          ),
        },
        { head: t('operators.unanswered'), align: 'end', className: WIDE, cell: ({ figures }) => figures.unanswered },
        {
          head: t('operators.response'),
          align: 'end',
          className: WIDE,
          cell: ({ figures }) => <Figure second={figures.slow}>{figures.median}</Figure>,
        },
      ]}
    />
  )
}

function Figure({ second, children }: { second: string | null; children: ReactNode }) {
  return (
    <>
      {children}
      {second && <span className="block text-second text-quiet">{second}</span>}
    </>
  )
}

type DirectionNameProps = { t: Translate; application: string; direction: OperatorDirection }

function DirectionName({ t, application, direction }: DirectionNameProps) {
  const { operator, type } = direction
  const name = `${OPERATORS[operator].brand} ${t(`country.${OPERATORS[operator].country.name}`)}`
  return (
    <>
      <OperatorMark code={operator} />
      <span className="block text-second text-quiet">
        {t(`type.${type}`)}
        {type === 'COLLECT' && (
          <>
            {' · '}
            <Link
              href={paths.operator(application, operator)}
              aria-label={t('operators.detailsOf', { operator: name })}
              className="inline-block py-0.5 underline"
            >
              {t('operators.details')}
            </Link>
          </>
        )}
      </span>
      <span className="mt-1 block @min-[640px]/card:hidden">
        <State t={t} direction={direction} />
      </span>
    </>
  )
}

/** Whether the operator is in service, and if it is, whether it works and through which protocol. */
function State({ t, direction }: { t: Translate; direction: OperatorDirection }) {
  const { isEnabled, protocol, state, since } = direction
  if (!isEnabled || protocol === null) return <ServiceState t={t} direction={direction} />
  return (
    <>
      <AvailabilityBadge t={t} state={state} />
      <span className="block text-second text-quiet @max-[640px]/card:hidden">
        {t('operators.through', { protocol: protocolText(t, protocol) })}
      </span>
      {since && (
        <span className="block text-second text-quiet">
          {t('operators.since')} <TimeText at={since} />
        </span>
      )}
    </>
  )
}

type BalanceTableProps = { t: Translate; application: string; balances: readonly ReportedBalance[] }

/** Each operator's last reported balance compared with the ledger, and a button to test the operator. */
export function BalanceTable({ t, application, balances }: BalanceTableProps) {
  const figure = (operator: OperatorCode, amount: string | null) =>
    amount === null ? '–' : <Money amount={amount} currency={OPERATORS[operator].country.currency} />
  return (
    <ListTable
      label={t('operators.balances')}
      className="mt-2"
      rows={balances}
      keyOf={({ operator }) => operator}
      columns={[
        { head: t('operators.operator'), cellClass: 'whitespace-nowrap', cell: ({ operator }) => <OperatorMark code={operator} /> },
        { head: t('operators.difference'), align: 'end', cell: (balance) => <Difference t={t} balance={balance} /> },
        { head: t('operators.reported'), align: 'end', cell: ({ operator, reported }) => figure(operator, reported) },
        { head: t('operators.ledger'), align: 'end', cell: ({ operator, ledger }) => figure(operator, ledger) },
        {
          head: t('operators.checked'),
          cellClass: 'whitespace-nowrap',
          cell: ({ checkedAt }) =>
            checkedAt === null ? <span className="text-quiet">{t('operators.never')}</span> : <TimeText at={checkedAt} />,
        },
        {
          head: t('operators.test'),
          cellClass: 'min-w-60',
          cell: ({ operator, isConnected }) =>
            isConnected ? (
              <TestButton application={application} operator={operator} />
            ) : (
              <span className="text-second text-quiet">{t('operators.notConnected')}</span>
            ),
        },
      ]}
    />
  )
}

function Difference({ t, balance: { operator, checkedAt, difference, differsSince } }: { t: Translate; balance: ReportedBalance }) {
  if (checkedAt === null) return '–'
  if (difference === null) return <span className="text-quiet">{t('operators.unknown')}</span>
  if (difference === '0') return <span className="text-ok">{t('operators.agrees')}</span>
  return (
    <>
      <Money amount={difference} currency={OPERATORS[operator].country.currency} className="font-strong text-bad" />
      {differsSince && (
        <span className="block text-second whitespace-nowrap text-quiet">
          {t('operators.since')} <TimeText at={differsSince} />
        </span>
      )}
    </>
  )
}
