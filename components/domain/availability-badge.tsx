import { Badge, type Tone } from '#components/ui/display/badge.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import type { Availability } from '#lib/operators/operator-outcomes.ts'

const TONES: Readonly<Record<Availability, Tone>> = { OPERATIONAL: 'ok', DELAYED: 'wait', CLOSED: 'bad' }

/** Whether submissions reach an operator in one direction. */
export function AvailabilityBadge({ t, state }: { t: Translate; state: Availability }) {
  return (
    <Badge tone={TONES[state]} hasDot>
      {t(`availability.${state}`)}
    </Badge>
  )
}
