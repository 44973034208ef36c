import { AvailabilityBadge } from '#components/domain/availability-badge.tsx'
import { TimeText } from '#components/domain/time-text.tsx'
import { Card } from '#components/ui/card.tsx'
import { availabilityHint } from '#lib/availability.ts'
import type { DirectionHistory } from '#lib/operator-outcomes.ts'
import type { OperatorCode } from '#lib/operators.ts'
import { OpenAgain } from '../../_components/open-again.tsx'
import { ServiceState } from '../../_components/service-state.tsx'
import { TestButton } from '../../_components/test-button.tsx'
import { type DirectionState, isClosedForFault } from '../../read-operators.ts'
import type { OperatorWords } from './operator-words.ts'

type Props = {
  words: OperatorWords
  application: string
  operator: OperatorCode
  directions: readonly DirectionState[]
  history: readonly DirectionHistory[]
  /** Of the application that runs the installation. */
  mayConfigure: boolean
}

/** Both directions as they are now, and a test. */
export function NowPart({ words, application, operator, directions, history, mayConfigure }: Props) {
  const { t } = words
  return (
    <section aria-labelledby="now" className="mt-6">
      <h2 id="now">{t('operators.now')}</h2>
      <div className="mt-2 grid gap-3 sm:grid-cols-2">
        {directions.map((direction) => (
          <Direction
            key={direction.type}
            words={words}
            direction={direction}
            history={history.find(({ type }) => type === direction.type)}
          />
        ))}
      </div>
      {mayConfigure && directions.some(isClosedForFault) && <OpenAgain application={application} operator={operator} />}
      {directions.some(({ protocol }) => protocol !== null) && (
        <div className="mt-3 grid justify-items-start gap-1">
          <TestButton application={application} operator={operator} />
          <p className="text-second text-quiet">{t('operators.testNote')}</p>
        </div>
      )}
    </section>
  )
}

type DirectionProps = { words: OperatorWords; direction: DirectionState; history: DirectionHistory | undefined }

function Direction({ words: { t }, direction, history }: DirectionProps) {
  const { type, protocol, state, since, fault } = direction
  return (
    <Card>
      <h3 className="font-strong">{t(`type.${type}`)}</h3>
      <div className="mt-2 flex flex-wrap items-start gap-x-6 gap-y-2">
        <div>
          <ServiceState t={t} direction={direction} />
        </div>
        {protocol !== null && (
          <div>
            <AvailabilityBadge t={t} state={state} />
            {since && (
              <span className="block text-second text-quiet">
                {t('operators.since')} <TimeText at={since} />
              </span>
            )}
          </div>
        )}
      </div>
      {protocol !== null && state !== 'OPERATIONAL' && (
        <p className="mt-2">{t(availabilityHint({ ...direction, state }), { fault: fault ?? '' })}</p>
      )}
      {history && (history.waiting > 0 || history.unconfirmed > 0) && (
        <p className="mt-2 text-ink-2">
          {history.waiting > 0 && t('operators.waiting', { count: history.waiting })}
          {history.waiting > 0 && history.unconfirmed > 0 && ' · '}
          {history.unconfirmed > 0 && <span className="text-wait">{t('operators.unconfirmed', { count: history.unconfirmed })}</span>}
        </p>
      )}
    </Card>
  )
}
