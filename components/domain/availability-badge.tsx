import { Badge, type Tone } from '#components/ui/display/badge.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import type { DisturbedDirection } from '#lib/operators/operator-outcomes.ts'

type ShownState = 'OPERATIONAL' | DisturbedDirection['state']

const TONES: Readonly<Record<ShownState, Tone>> = { OPERATIONAL: 'ok', DELAYED: 'wait', CLOSED: 'bad', SHORT: 'wait' }

/** Whether submissions reach an operator in one direction, and our account there covers them. */
export function AvailabilityBadge({ t, state }: { t: Translate; state: ShownState }) {
  return (
    <Badge tone={TONES[state]} hasDot>
      {t(`availability.${state}`)}
    </Badge>
  )
}
