import { RelativeTime } from '#components/domain/time-text.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import type { OwnInvitation } from '#server/people/invitation-queries.ts'

/** The code of a person who has joined, and whom they tell it. */
export function JoinedInvitation({ t, invitation }: { t: Translate; invitation: OwnInvitation & { code: string } }) {
  const { invitationId, applicationName, proposerName, linkHolderNames, code, endsAt } = invitation
  const half = code.length / 2
  return (
    <section aria-labelledby={`invitation-${invitationId}`}>
      <h2 id={`invitation-${invitationId}`} className="wrap-anywhere">
        {applicationName}
      </h2>
      <p className="mt-1">
        {proposerName === null
          ? t('invitation.tellAnother', { application: applicationName, names: linkHolderNames.join(', ') })
          : t('invitation.tell', { name: proposerName })}
      </p>
      <p className="mt-3 rounded-md bg-sunken px-3 py-4 text-center text-[27px] leading-[34px] font-strong tabular" translate="no">
        <output aria-label={t('invitation.code')}>
          {code.slice(0, half)}-{code.slice(half)}
        </output>
      </p>
      <p className="mt-3 text-second text-quiet">
        {t('invitation.tellWhy', { application: applicationName })} {t('invitation.validUntil')} <RelativeTime at={endsAt.toISOString()} />
      </p>
    </section>
  )
}
