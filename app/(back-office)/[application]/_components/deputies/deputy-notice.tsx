import { Notice } from '#components/ui/display/empty-state.tsx'
import { formatTime } from '#lib/time/format-time.ts'
import type { BackOfficeActor } from '#server/back-office/actor.ts'
import { getT } from '#server/back-office/preferences.ts'

/** Above a decision: for which absent checkers the person decides, and until when. Nothing for everybody else. */
export async function DeputyNotice({ actor: { deputyFor, timeZone, businessZone } }: { actor: BackOfficeActor }) {
  const t = await getT()
  const untilOf = (until: string) => formatTime(t, timeZone ?? businessZone, new Date(until), 'day-time')
  return deputyFor.map(({ personId, name, until }) => (
    <div key={personId} className="mb-3">
      <Notice>{t('deputy.youDecide', { absent: name, until: untilOf(until) })}</Notice>
    </div>
  ))
}
