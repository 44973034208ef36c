import { AvailabilityBadge } from '#components/domain/availability-badge.tsx'
import { OperatorMark } from '#components/domain/operator-mark.tsx'
import { TimeText } from '#components/domain/time-text.tsx'
import { Link } from '#components/ui/link.tsx'
import { Table, Td, Th, Tr } from '#components/ui/table.tsx'
import { TableCard } from '#components/ui/table-card.tsx'
import type { Locale } from '#lib/i18n/locale.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { OPERATORS } from '#lib/operators.ts'
import { paths } from '#lib/paths.ts'
import type { OperatorDirection } from '../read-operators.ts'
import { figuresOf } from './figures.ts'
import { protocolText } from './protocol-text.ts'
import { ServiceState } from './service-state.tsx'

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
