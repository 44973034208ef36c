import type { Metadata } from 'next'
import { Notice } from '#components/ui/empty-state.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { PageMessages } from '#components/ui/translations.tsx'
import { MESSAGES } from '#lib/i18n/messages.ts'
import { pickMessages } from '#lib/i18n/translate.ts'
import { can } from '#lib/permissions.ts'
import { listAccess } from '#server/applications/access-queries.ts'
import { requireActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT, readLocale } from '#server/back-office/preferences.ts'
import { listChanges } from '#server/changes/list-changes.ts'
import { listInvitations } from '#server/people/invitation-queries.ts'
import { ChangeList } from '../_components/changes/change-list.tsx'
import { InvitationList } from './_components/invitation-list.tsx'
import { InviteButton } from './_components/invite-button.tsx'
import { PeopleTable } from './_components/people-table.tsx'

const PERSON_KINDS = ['person.invite', 'person.roles', 'person.second_factor_reset'] as const

type Props = { params: Promise<{ application: string }> }

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getT())('people.title') }
}

/** The members of an application and the people who are invited. Invitations and changes wait for a second administrator. */
export default async function PeoplePage({ params }: Props) {
  const { application } = await params
  const actor = await requireActor(application, 'people:change')
  const { pool } = backOfficeRuntime()
  const { applicationId } = actor
  const [t, locale, { people }, changes, invitations] = await Promise.all([
    getT(),
    readLocale(),
    listAccess(pool, applicationId),
    listChanges(pool, { applicationId, kinds: PERSON_KINDS, actor }),
    listInvitations(pool, applicationId),
  ])
  const isAlone = !people.some(
    ({ personId, roles, isActive, isBlocked }) => personId !== actor.id && isActive && !isBlocked && can(roles, 'people:change'),
  )
  return (
    <PageMessages messages={pickMessages(MESSAGES[locale], ['people.', 'change.', 'role.'])}>
      <PageHeader title={t('people.title')} actions={!isAlone && <InviteButton application={application} />} />
      {isAlone && (
        <div className="mt-4 grid gap-2">
          <Notice>{t('change.noSecondPerson')}</Notice>
          <p className="text-second text-quiet">{t('people.inviteAlone')}</p>
        </div>
      )}
      <ChangeList t={t} locale={locale} application={application} changes={changes} />
      <InvitationList t={t} application={application} invitations={invitations} actorId={actor.id} />
      <PeopleTable t={t} application={application} people={people} actorId={actor.id} isAlone={isAlone} />
    </PageMessages>
  )
}
