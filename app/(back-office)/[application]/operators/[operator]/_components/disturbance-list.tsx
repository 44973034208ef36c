import { AvailabilityBadge } from '#components/domain/availability-badge.tsx'
import { TimeText } from '#components/domain/time-text.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import type { DirectionHistory } from '#lib/operator-outcomes.ts'
import { HISTORY_DAYS } from '#lib/operator-outcomes.ts'

/** When the operator was delayed or closed, newest first. */
export function DisturbanceList({ t, history }: { t: Translate; history: readonly DirectionHistory[] }) {
  const shown = history
    .flatMap(({ type, disturbances }) => disturbances.map((each) => ({ type, ...each })))
    .toSorted((left, right) => right.from.localeCompare(left.from))
  const count = history.reduce((sum, { disturbanceCount }) => sum + disturbanceCount, 0)
  return (
    <section aria-labelledby="disturbances" className="mt-6">
      <h2 id="disturbances">{t('operators.disturbances')}</h2>
      {shown.length === 0 ? (
        <p className="mt-1 text-quiet">{t('operators.noDisturbance', { days: HISTORY_DAYS })}</p>
      ) : (
        <ul className="mt-2 grid gap-1.5">
          {shown.map(({ type, state, from, until }) => (
            <li key={`${type} ${from}`} className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
              <AvailabilityBadge t={t} state={state} />
              <span>{t(`type.${type}`)}</span>
              <span className="text-ink-2">
                <TimeText at={from} /> – {until === null ? t('operators.untilNow') : <TimeText at={until} />}
              </span>
            </li>
          ))}
        </ul>
      )}
      {count > shown.length && (
        <p className="mt-1 text-second text-quiet">{t('operators.moreDisturbances', { count: count - shown.length })}</p>
      )}
    </section>
  )
}
