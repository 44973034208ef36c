import { useEffect, useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { IntendedDecision } from '#lib/approvals/intended.ts'

type Countdown = { dueInMs: number; readAtMs: number }

/** `Takes effect in 8 s`, by the server's own count: the clock of this computer may be wrong. */
export function SecondsLeft({ dueInMs, readAtMs }: Countdown) {
  const t = useT()
  const [nowMs, setNowMs] = useState(readAtMs)
  useEffect(() => {
    const tick = () => setNowMs(Date.now())
    tick()
    const timer = setInterval(tick, 250)
    return () => clearInterval(timer)
  }, [])
  const seconds = Math.ceil((dueInMs - Math.max(0, nowMs - readAtMs)) / 1_000)
  return (
    <span role="timer" className="whitespace-nowrap tabular">
      {seconds > 0 ? t('undo.left', { seconds }) : t('undo.now')}
    </span>
  )
}

type Props = { intention: IntendedDecision; readAtMs: number; isSmall?: boolean; label?: string }

/** In place of the buttons of what this person validated: the rest of the time, and Undo, which the frame carries out (`data-undo`). */
export function UndoLine({ intention, readAtMs, isSmall = false, label }: Props) {
  const t = useT()
  return (
    <span className="flex flex-wrap items-center justify-end gap-x-2 gap-y-1">
      <span className="text-second text-wait">
        <SecondsLeft dueInMs={intention.dueInMs} readAtMs={readAtMs} />
      </span>
      <Button size={isSmall ? 'small' : 'medium'} data-undo={intention.intentionId} aria-label={label}>
        {t('undo.button')}
      </Button>
    </span>
  )
}
