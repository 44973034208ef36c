import { Badge, type Tone } from '#components/ui/display/badge.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import type { ExceptionDto, ExceptionState } from '#lib/reconciliation/exceptions.ts'

const TONES: Record<ExceptionState, Tone> = { open: 'bad', owned: 'wait', closed: 'ok' }

/** Whether somebody works on an exception; of a closed one, how it ended. */
export function ExceptionMark({ t, exception: { state, outcome } }: { t: Translate; exception: Pick<ExceptionDto, 'state' | 'outcome'> }) {
  return (
    <Badge tone={TONES[state]} hasDot>
      {outcome === null ? t(`exceptions.state.${state}`) : t(`exceptions.outcome.${outcome}`)}
    </Badge>
  )
}

/** That an exception is open for longer than it should be. Renders nothing if it is not. */
export function OverdueMark({ t, isOverdue }: { t: Translate; isOverdue: boolean }) {
  return isOverdue && <Badge tone="bad">{t('exceptions.overdue')}</Badge>
}
