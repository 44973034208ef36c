import { TimeText } from '#components/domain/time-text.tsx'
import { Badge } from '#components/ui/badge.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import type { InvitationListing } from '#server/people/invitation-queries.ts'
import { InvitationButtons } from './invitation-buttons.tsx'

type Props = { t: Translate; application: string; invitations: readonly InvitationListing[]; actorId: string }

/** People who were invited and have not come yet. Nothing if there are none. */
export function InvitationList({ t, application, invitations, actorId }: Props) {
  if (invitations.length === 0) return null
  return (
    <section aria-labelledby="invitations" className="mt-6">
      <h2 id="invitations">{t('people.invitations')}</h2>
      <ul className="mt-2 grid gap-2">
        {invitations.map(({ invitationId, email, name, roles, expiresAt, ...invitation }) => (
          <li
            key={invitationId}
            className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3 rounded-lg border border-line bg-surface p-4"
          >
            <div className="min-w-0">
              <p className="font-medium wrap-anywhere">
                {name} <span className="font-regular text-quiet">{email}</span>
              </p>
              <p>{roles.map((role) => t(`role.${role}`)).join(', ')}</p>
              <p className="mt-1 text-second text-quiet">
                {t('people.agreedBy', { proposer: invitation.proposerName, confirmer: invitation.confirmerName })}
                {!invitation.isExpired && (
                  <>
                    {' · '}
                    {t('people.validUntil')} <TimeText at={expiresAt.toISOString()} />
                  </>
                )}
              </p>
              {invitation.isExpired && (
                <p className="mt-1">
                  <Badge tone="wait">{t('people.linkExpired')}</Badge>
                </p>
              )}
            </div>
            <InvitationButtons
              application={application}
              invitationId={invitationId}
              name={name}
              whyNoLink={invitation.proposedBy === actorId ? 'own' : invitation.isRenewable ? null : 'old'}
            />
          </li>
        ))}
      </ul>
    </section>
  )
}
