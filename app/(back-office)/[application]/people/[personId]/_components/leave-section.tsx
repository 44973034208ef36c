import { NotAllowed } from '#components/ui/button.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import type { LeftBehind } from '#lib/leaving.ts'
import type { Member } from '#server/people/person-queries.ts'
import { LeaveButtons } from './leave-buttons.tsx'
import { LeftList } from './left-list.tsx'

type Props = { t: Translate; application: string; personId: string; member: Member; left: LeftBehind }

/** What to know before a person is removed or suspended, and the buttons for both. */
export function LeaveSection({ t, application, personId, member, left }: Props) {
  const { name, roles, isActive, isBlocked, isSuspended } = member
  return (
    <section aria-labelledby="leave" className="mt-6">
      <h2 id="leave">{t('people.leave')}</h2>
      <p className="text-second text-quiet">{t('people.leaveText')}</p>
      <div className="mt-2 rounded-lg border border-line bg-surface p-4">
        <LeftList t={t} application={application} left={left} />
      </div>
      <div className="mt-3">
        {isBlocked ? (
          <NotAllowed reason={t('people.blockedByService')} />
        ) : (
          <LeaveButtons application={application} person={{ personId, name, roles, isActive, isSuspended }} left={left} />
        )}
      </div>
    </section>
  )
}
