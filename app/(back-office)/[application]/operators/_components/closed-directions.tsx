import { AvailabilityNote } from '#components/domain/availability-note.tsx'
import { TimeText } from '#components/domain/time-text.tsx'
import { Card } from '#components/ui/display/card.tsx'
import { Link } from '#components/ui/link.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import { availabilityHint, type DisturbedDirection } from '#lib/operators/operator-outcomes.ts'
import { OPERATOR_CODES, OPERATORS } from '#lib/operators/operators.ts'
import { paths } from '#lib/pages/paths.ts'
import { type DirectionState, isClosedForFault } from '../read-operators.ts'
import { OpenAgain, SendNow } from './open-again.tsx'

type Props = { t: Translate; application: string; directions: readonly DirectionState[]; mayConfigure: boolean }

/** The operators that refused our PIN, key or settings: since when, why, and what to do. */
export function ClosedDirections({ t, application, directions, mayConfigure }: Props) {
  return OPERATOR_CODES.flatMap((operator) => {
    const closed = directions.filter((direction) => direction.operator === operator && isClosedForFault(direction))
    if (closed.length === 0) return []
    const { brand, country } = OPERATORS[operator]
    return [
      <section key={operator} aria-labelledby={`closed-${operator}`} className="mt-3">
        <Card>
          <h2 id={`closed-${operator}`}>{t('operators.closed', { operator: `${brand} ${t(`country.${country.name}`)}` })}</h2>
          {closed.map((direction) => (
            <p key={direction.type} className="mt-2">
              <span className="font-strong">{t(`type.${direction.type}`)}</span>
              {direction.since && (
                <span className="text-second text-quiet">
                  {' '}
                  {t('operators.since')} <TimeText at={direction.since} />
                </span>
              )}
              <span className="block">
                {t(availabilityHint({ ...direction, state: 'CLOSED', missing: null }), { fault: direction.fault ?? '' })}
              </span>
            </p>
          ))}
          <p className="mt-2">
            <Link href={paths.operator(application, operator)} className="inline-block py-0.5 underline">
              {t(mayConfigure ? 'operators.checkSettings' : 'operators.details')}
            </Link>
          </p>
          {mayConfigure && <OpenAgain application={application} operator={operator} />}
        </Card>
      </section>,
    ]
  })
}

type ShortProps = { t: Translate; application: string; short: readonly DisturbedDirection[]; mayConfigure: boolean }

/** The operators whose deposits wait because our account there is short: since when, how much is missing, and what to do. */
export function ShortAccounts({ t, application, short, mayConfigure }: ShortProps) {
  return short.map((direction) => {
    const { brand, country } = OPERATORS[direction.operator]
    return (
      <section key={direction.operator} aria-labelledby={`short-${direction.operator}`} className="mt-3">
        <Card>
          <h2 id={`short-${direction.operator}`}>{t('operators.short', { operator: `${brand} ${t(`country.${country.name}`)}` })}</h2>
          <div className="mt-2">
            <AvailabilityNote direction={direction} />
          </div>
          {mayConfigure && <SendNow application={application} operator={direction.operator} />}
        </Card>
      </section>
    )
  })
}
