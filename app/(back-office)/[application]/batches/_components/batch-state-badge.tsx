import { Badge, type Tone } from '#components/ui/badge.tsx'
import type { BatchState } from '#lib/batch-state.ts'
import type { Translate } from '#lib/i18n/translate.ts'

const TONES: Record<BatchState, Tone> = { checking: 'wait', draft: 'neutral', submitting: 'run', submitted: 'run', discarded: 'neutral' }

/** The state of a batch in words. */
export function BatchStateBadge({ t, state }: { t: Translate; state: BatchState }) {
  return (
    <Badge tone={TONES[state]} hasDot>
      {t(`batches.stateOf.${state}`)}
    </Badge>
  )
}
