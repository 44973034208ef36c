import { AvailabilityBadge } from '#components/domain/availability-badge.tsx'
import { Money } from '#components/domain/money.tsx'
import { OperatorMark } from '#components/domain/operator-mark.tsx'
import { TimeText } from '#components/domain/time-text.tsx'
import { Badge } from '#components/ui/display/badge.tsx'
import { Table, TableCard, Td, Th, Tr } from '#components/ui/display/table.tsx'
import { Link } from '#components/ui/link.tsx'
import type { Locale } from '#lib/i18n/locale.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { OPERATORS } from '#lib/operators/operators.ts'
import { paths } from '#lib/pages/paths.ts'
import type { DirectionState, OperatorDirection, ReportedBalance } from '../read-operators.ts'
import { TestButton } from './operator-buttons.tsx'
import { figuresOf, protocolText } from './operator-words.ts'

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
    <TableCard label={t('operators.outcomes')} className="mt-2">
      <Table
        caption={t('operators.outcomes')}
        head={
          <>
            <Th>{t('operators.operator')}</Th>
            <Th className={WIDE}>{t('operators.availability')}</Th>
            <Th align="end">{t('operators.succeeded')}</Th>
            <Th align="end" className={WIDE}>
              {t('operators.failed')}
            </Th>
            <Th align="end" className={WIDE}>
              {t('operators.open')}
            </Th>
            <Th align="end" className={WIDE}>
              {t('operators.unanswered')}
            </Th>
            <Th align="end" className={WIDE}>
              {t('operators.response')}
            </Th>
          </>
        }
      >
        {directions.map((direction) => (
          <Row key={`${direction.operator} ${direction.type}`} t={t} locale={locale} application={application} direction={direction} />
        ))}
      </Table>
    </TableCard>
  )
}

type RowProps = Omit<Props, 'directions'> & { direction: OperatorDirection }

function Row({ t, locale, application, direction }: RowProps) {
  const { operator, type, unconfirmed } = direction
  const figures = figuresOf(t, locale, direction)
  const name = `${OPERATORS[operator].brand} ${t(`country.${OPERATORS[operator].country.name}`)}`
  return (
    <Tr className="whitespace-nowrap">
      <Td>
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
      </Td>
      <Td className={WIDE}>
        <State t={t} direction={direction} />
      </Td>
      <Td align="end">
        {figures.succeeded}
        <span className="block text-second text-quiet">{t('operators.of', { count: figures.ended })}</span>
      </Td>
      <Td align="end" className={WIDE}>
        {figures.failed}
      </Td>
      <Td align="end" className={WIDE}>
        {figures.open}
        {unconfirmed > 0 && <span className="block text-second text-wait">{t('operators.unconfirmed', { count: unconfirmed })}</span>}
      </Td>
      <Td align="end" className={WIDE}>
        {figures.unanswered}
      </Td>
      <Td align="end" className={WIDE}>
        {figures.median}
        {figures.slow && <span className="block text-second text-quiet">{figures.slow}</span>}
      </Td>
    </Tr>
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
  return (
    <TableCard label={t('operators.balances')} className="mt-2">
      <Table
        caption={t('operators.balances')}
        head={
          <>
            <Th>{t('operators.operator')}</Th>
            <Th align="end">{t('operators.difference')}</Th>
            <Th align="end">{t('operators.reported')}</Th>
            <Th align="end">{t('operators.ledger')}</Th>
            <Th>{t('operators.checked')}</Th>
            <Th>{t('operators.test')}</Th>
          </>
        }
      >
        {balances.map((balance) => {
          const { currency } = OPERATORS[balance.operator].country
          const figure = (amount: string | null) => (amount === null ? '–' : <Money amount={amount} currency={currency} />)
          return (
            <Tr key={balance.operator}>
              <Td className="whitespace-nowrap">
                <OperatorMark code={balance.operator} />
              </Td>
              <Td align="end">
                <Difference t={t} balance={balance} />
              </Td>
              <Td align="end">{figure(balance.reported)}</Td>
              <Td align="end">{figure(balance.ledger)}</Td>
              <Td className="whitespace-nowrap">
                {balance.checkedAt === null ? (
                  <span className="text-quiet">{t('operators.never')}</span>
                ) : (
                  <TimeText at={balance.checkedAt} />
                )}
              </Td>
              <Td className="min-w-60">
                {balance.isConnected ? (
                  <TestButton application={application} operator={balance.operator} />
                ) : (
                  <span className="text-second text-quiet">{t('operators.notConnected')}</span>
                )}
              </Td>
            </Tr>
          )
        })}
      </Table>
    </TableCard>
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
