'use client'

import { useTranslations } from '#components/ui/translations.tsx'
import { availabilityHint, type DisturbedDirection } from '#lib/operators/operator-outcomes.ts'
import { OPERATORS } from '#lib/operators/operators.ts'
import { formatAmount } from '#lib/text/format.ts'
import { AvailabilityBadge } from './availability-badge.tsx'
import { RelativeTime } from './time-text.tsx'

/** Directions that do not work as usual, since when, and the consequence for their payments. */
export function AvailabilityNote({ direction }: { direction: DisturbedDirection }) {
  const { t, locale } = useTranslations()
  const { operator, type, state, since, fault, missing } = direction
  const { brand, country } = OPERATORS[operator]
  const name = `${brand} ${t(`country.${country.name}`)}`
  return (
    <p>
      <span className="font-medium">{t('availability.of', { operator: name, type: t(`type.${type}`) })}</span>{' '}
      <AvailabilityBadge t={t} state={state} />{' '}
      <span className="text-second text-quiet">
        {t('availability.since')} <RelativeTime at={since} />
      </span>
      <span className="block text-ink-2">
        {t(availabilityHint(direction), {
          fault: fault ?? '',
          missing: missing === null ? '' : `${formatAmount(missing, locale)} ${country.currency}`,
        })}
      </span>
    </p>
  )
}
