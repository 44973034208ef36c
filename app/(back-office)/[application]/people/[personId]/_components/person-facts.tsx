import { RelativeTime } from '#components/domain/time-text.tsx'
import { Notice } from '#components/ui/empty-state.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import { combinesRoles } from '#lib/permissions.ts'
import type { Member } from '#server/people/person-queries.ts'

/** What a member may do, and when they were last here. */
export function PersonFacts({ t, member }: { t: Translate; member: Member }) {
  const state = member.isBlocked
    ? 'people.blocked'
    : member.isSuspended
      ? 'people.suspended'
      : member.isActive
        ? 'people.active'
        : 'people.ended'
  const facts = [
    [t('people.roles'), member.roles.map((role) => t(`role.${role}`)).join(', ')],
    [t('people.membership'), t(state)],
    [t('people.secondFactor'), t(member.hasSecondFactor ? 'people.factorOn' : 'people.factorOff')],
    [
      t('people.lastSeen'),
      member.lastSeenAt ? <RelativeTime key="seen" at={member.lastSeenAt.toISOString()} isCoarse /> : t('people.neverSeen'),
    ],
  ] as const
  return (
    <>
      {combinesRoles(member.roles) && (
        <div className="mt-4">
          <Notice tone="wait">{t('change.combinesRoles')}</Notice>
        </div>
      )}
      <dl className="mt-4 grid gap-x-6 gap-y-2 lg:grid-cols-2">
        {facts.map(([name, value]) => (
          <div key={name} className="flex flex-wrap gap-x-3">
            <dt className="w-44 shrink-0 text-quiet">{name}</dt>
            <dd className="min-w-0">{value}</dd>
          </div>
        ))}
      </dl>
    </>
  )
}
