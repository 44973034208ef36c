import type { ReactNode } from 'react'
import { RelativeTime, TimeText } from '#components/domain/time-text.tsx'
import { NotAllowed } from '#components/ui/button.tsx'
import { Badge } from '#components/ui/display/badge.tsx'
import { Notice } from '#components/ui/display/empty-state.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import type { InvitationListing } from '#server/people/invitation-store.ts'
import { InvitationButtons, JoinedCodeForm } from './invitation-buttons.tsx'

type Props = { t: Translate; application: string; invitations: readonly InvitationListing[]; actorId: string }

/** People who were invited: those who joined and have no rights before their code is confirmed, then those who have not come yet. */
export function InvitationList({ t, application, invitations, actorId }: Props) {
  if (invitations.length === 0) return null
  const joined = invitations.filter(({ joinedAt }) => joinedAt !== null)
  const invited = invitations.filter(({ joinedAt }) => joinedAt === null)
  return (
    <>
      {joined.length > 0 && (
        <section aria-labelledby="joined" className="mt-6">
          <h2 id="joined">{t('people.joined')}</h2>
          <p className="text-second text-quiet">{t('people.joinedText')}</p>
          <ul className="mt-2 grid gap-2">
            {joined.map((invitation) => (
              <JoinedRow key={invitation.invitationId} t={t} application={application} invitation={invitation} actorId={actorId} />
            ))}
          </ul>
        </section>
      )}
      {invited.length > 0 && (
        <section aria-labelledby="invitations" className="mt-6">
          <h2 id="invitations">{t('people.invitations')}</h2>
          <ul className="mt-2 grid gap-2">
            {invited.map((invitation) => (
              <InvitedRow key={invitation.invitationId} t={t} application={application} invitation={invitation} actorId={actorId} />
            ))}
          </ul>
        </section>
      )}
    </>
  )
}

type RowProps = { t: Translate; application: string; invitation: InvitationListing; actorId: string }

function InvitedRow({ t, application, invitation, actorId }: RowProps) {
  const { invitationId, name, expiresAt, isExpired } = invitation
  return (
    <Row
      t={t}
      invitation={invitation}
      name={name}
      note={
        !isExpired && (
          <>
            {' · '}
            {t('people.validUntil')} <TimeText at={expiresAt.toISOString()} />
          </>
        )
      }
      buttons={
        <InvitationButtons
          application={application}
          invitationId={invitationId}
          name={name}
          whyNoLink={invitation.proposedBy === actorId ? 'own' : invitation.isRecent ? null : 'old'}
        />
      }
    >
      {isExpired && (
        <p className="mt-1">
          <Badge tone="wait">{t('people.linkExpired')}</Badge>
        </p>
      )}
    </Row>
  )
}

function JoinedRow({ t, application, invitation, actorId }: RowProps) {
  const { invitationId, joinedAt, joinedLikeName } = invitation
  const name = invitation.joinedName ?? invitation.name
  const reason = whyNoCode(t, invitation, actorId)
  return (
    <Row
      t={t}
      invitation={invitation}
      name={name}
      note={
        joinedAt && (
          <>
            {' · '}
            {t('people.joinedAt')} <RelativeTime at={joinedAt.toISOString()} />
          </>
        )
      }
      buttons={<InvitationButtons application={application} invitationId={invitationId} name={name} whyNoLink="joined" />}
    >
      {joinedLikeName !== null && (
        <div className="mt-2">
          <Notice tone="bad">{t('people.joinedLike', { name: joinedLikeName })}</Notice>
        </div>
      )}
      <div className="mt-3">
        {reason === null ? (
          <JoinedCodeForm application={application} invitationId={invitationId} name={name} />
        ) : (
          <NotAllowed reason={reason} />
        )}
      </div>
    </Row>
  )
}

/** Why this administrator does not enter the code; null if they do. */
function whyNoCode(t: Translate, invitation: InvitationListing, actorId: string): string | null {
  const { isRecent, proposedBy, proposerName, confirmerName, linkHolders, isProposerHere, isConfirmerHere } = invitation
  if (!isRecent) return t('people.invitationTooOld')
  if (!isConfirmerHere) return t('people.confirmerGone', { name: confirmerName })
  if (proposedBy === actorId) return null
  if (isProposerHere) return t('people.proposerEntersCode', { name: proposerName })
  return linkHolders.includes(actorId) ? t('people.hadTheLink') : null
}

type FrameProps = {
  t: Translate
  invitation: InvitationListing
  name: string
  note: ReactNode
  buttons: ReactNode
  children: ReactNode
}

function Row({ t, invitation, name, note, buttons, children }: FrameProps) {
  const { email, roles, proposerName, confirmerName } = invitation
  return (
    <li className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3 rounded-lg border border-line bg-surface p-4">
      <div className="min-w-0">
        <p className="font-medium wrap-anywhere">
          {name} <span className="font-regular text-quiet">{email}</span>
        </p>
        <p>{roles.map((role) => t(`role.${role}`)).join(', ')}</p>
        <p className="mt-1 text-second text-quiet">
          {t('people.agreedBy', { proposer: proposerName, confirmer: confirmerName })}
          {note}
        </p>
        {children}
      </div>
      {buttons}
    </li>
  )
}
