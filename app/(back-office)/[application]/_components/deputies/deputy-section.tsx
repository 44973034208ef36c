import { TimeText } from '#components/domain/time-text.tsx'
import { Badge } from '#components/ui/display/badge.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import { dayIn } from '#lib/time/format-time.ts'
import type { BackOfficeActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { listDeputyships } from '#server/people/deputy-store.ts'
import { listActiveMembers } from '#server/people/person-store.ts'
import { EndButton, NameDeputyButton } from './deputy-buttons.tsx'

type Props = {
  t: Translate
  actor: BackOfficeActor
  /** Only those of this person: of their own absences, and those in which they decide. */
  isOwn?: boolean
}

/** The deputyships that hold now or will, and who can be named. */
export async function DeputySection({ t, actor, isOwn = false }: Props) {
  const { pool, clock } = backOfficeRuntime()
  const { applicationId, applicationSlug, id, businessZone } = actor
  const [all, members] = await Promise.all([listDeputyships(pool, applicationId), listActiveMembers(pool, applicationId)])
  const deputyships = isOwn ? all.filter(({ absentId, deputyId }) => absentId === id || deputyId === id) : all
  const checkers = members.filter(({ roles, personId }) => roles.includes('checker') && (!isOwn || personId === id))
  const deputies = members.filter(
    ({ roles, hasSecondFactor, personId }) => !roles.includes('checker') && hasSecondFactor && personId !== id,
  )
  const toChoice = ({ personId, name }: { personId: string; name: string }) => ({ personId, name })
  return (
    <div className="grid justify-items-start gap-3">
      {deputyships.length > 0 && (
        <ul className="w-full divide-y divide-line rounded-lg border border-line bg-surface">
          {deputyships.map(({ deputyshipId, absentName, deputyName, startsAt, endsAt, isEffective }) => (
            <li key={deputyshipId} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-3 py-2">
              <div className="min-w-0">
                <p className="font-medium">{t('deputy.line', { deputy: deputyName, absent: absentName })}</p>
                <p className="text-second text-quiet">
                  {t('deputy.from')} <TimeText at={startsAt.toISOString()} /> · {t('deputy.endsAt')} <TimeText at={endsAt.toISOString()} />
                </p>
                {!isEffective && <Badge tone="wait">{t('deputy.noEffect')}</Badge>}
              </div>
              <EndButton application={applicationSlug} deputyshipId={deputyshipId} deputy={deputyName} absent={absentName} />
            </li>
          ))}
        </ul>
      )}
      {checkers.length > 0 &&
        (deputies.length > 0 ? (
          <NameDeputyButton
            application={applicationSlug}
            checkers={checkers.map(toChoice)}
            deputies={deputies.map(toChoice)}
            today={dayIn(businessZone, clock.now())}
          />
        ) : (
          <p className="text-second text-quiet">{t('deputy.nobody')}</p>
        ))}
    </div>
  )
}
