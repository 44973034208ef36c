import { useEffect } from 'react'
import { useIntended } from '#components/decision/use-intended.ts'
import { definePart, LazyPart } from '#components/ui/overlay/lazy-part.tsx'
import { Toaster } from '#components/ui/overlay/toaster.tsx'
import { useNow, useTranslations } from '#components/ui/translations.tsx'
import { inUseHeader, noteInput } from '#lib/pages/page-use.ts'
import { paths } from '#lib/pages/paths.ts'
import { fetchData, hasParts } from '#lib/pages/query-client.ts'
import { formatTime } from '#lib/time/format-time.ts'
import type { IntendedActions } from './intended-tray.tsx'
import { LinkGuard } from './link-guard.tsx'
import { LiveUpdates } from './live-updates.tsx'
import { Shortcuts, type ShortcutsProps } from './shortcuts.tsx'

/** `intended`: for people who decide, how they take back what they validated. */
export type LaterProps = ShortcutsProps & { intended: IntendedActions | null }

/** Parts of the frame that load after the first paint, through `Later`. */
export function LaterParts({ intended, ...props }: LaterProps) {
  const { application } = props
  usePageUse(application)
  return (
    <>
      <LiveUpdates application={application} />
      <LinkGuard />
      <PrintedAt />
      <Shortcuts {...props} />
      <Toaster>{intended && <Intended application={application} actions={intended} />}</Toaster>
    </>
  )
}

const TRAY = definePart(async () => ({ default: (await import('./intended-tray.tsx')).IntendedTray }))

/** Its code is loaded once there is something to show. */
function Intended(props: { application: string; actions: IntendedActions }) {
  const { intended } = useIntended(props.application, true)
  return intended.length > 0 && <LazyPart part={TRAY} props={props} fallback={null} />
}

const CHECKED_EVERY_MS = 60_000

/**
 * Keeps the session while somebody uses the page without a request: reading, or typing a long note. Sessions of people who decide
 * end after 30 minutes without use.
 */
function usePageUse(application: string): void {
  useEffect(() => {
    const options = { capture: true, passive: true }
    const events = ['pointerdown', 'keydown', 'wheel', 'touchmove'] as const
    for (const event of events) addEventListener(event, noteInput, options)
    const timer = setInterval(() => {
      if (Object.keys(inUseHeader()).length > 0)
        // biome-ignore lint/plugin/no-silent-error: a lost connection shows elsewhere, and the next check repeats it.
        void fetchData(paths.data(application, 'waiting'), hasParts<{ count: number }>('count')).catch(() => undefined)
    }, CHECKED_EVERY_MS)
    return () => {
      clearInterval(timer)
      for (const event of events) removeEventListener(event, noteInput, options)
    }
  }, [application])
}

/** On paper only: when the page was printed. Once, in the frame. */
function PrintedAt() {
  const { t, timeZone } = useTranslations()
  const time = formatTime(t, timeZone, useNow(), 'full')
  return <p className="hidden text-second print:block">{t('frame.printedAt', { time: `${time} (${timeZone})` })}</p>
}
