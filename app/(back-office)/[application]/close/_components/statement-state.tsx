import { Badge, type Tone } from '#components/ui/display/badge.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import type { StatementState as State, StatementFileDto } from '#lib/reconciliation/statements.ts'
import { dayText } from '#lib/reconciliation/wallet-words.ts'

const TONES: Record<State, Tone> = {
  uploading: 'run',
  checking: 'run',
  ready: 'wait',
  importing: 'run',
  imported: 'ok',
  unmapped: 'wait',
  refused: 'bad',
  withdrawn: 'neutral',
}

/** How far a statement is. */
export function StatementState({ t, state }: { t: Translate; state: State }) {
  return (
    <Badge tone={TONES[state]} hasDot>
      {t(`statements.state.${state}`)}
    </Badge>
  )
}

/** The days of a statement; empty while they are not known. */
export function statementPeriod(t: Translate, { firstDay, lastDay }: Pick<StatementFileDto, 'firstDay' | 'lastDay'>): string {
  if (firstDay === null || lastDay === null) return ''
  return firstDay === lastDay ? dayText(t, firstDay) : `${dayText(t, firstDay)} – ${dayText(t, lastDay)}`
}
