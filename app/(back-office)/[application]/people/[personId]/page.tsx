import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { z } from 'zod'
import { PageHeader } from '#components/ui/page-header.tsx'
import { PageMessages } from '#components/ui/translations.tsx'
import { MESSAGES } from '#lib/i18n/messages.ts'
import { pickMessages } from '#lib/i18n/translate.ts'
import { ROLES } from '#lib/permissions.ts'
import { requireActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT, readLocale } from '#server/back-office/preferences.ts'
import { readSession } from '#server/back-office/session.ts'
import { listChanges } from '#server/changes/list-changes.ts'
import { listMemberSessions } from '#server/people/list-member-sessions.ts'
import { readMember } from '#server/people/person-queries.ts'
import { readLeftBehind } from '#server/reports/blocked-items/read-left-behind.ts'
import { ChangeList } from '../../_components/changes/change-list.tsx'
import { LeaveSection } from './_components/leave-section.tsx'
import { PersonFacts } from './_components/person-facts.tsx'
import { SessionList } from './_components/session-list.tsx'

type Props = { params: Promise<{ application: string; personId: string }> }

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getT())('people.title') }
}

const PERSON_KINDS = ['person.roles', 'person.second_factor_reset'] as const

/** One member: roles, sessions, and what would wait for nobody if they left. */
export default async function PersonPage({ params }: Props) {
  const { application, personId } = await params
  const actor = await requireActor(application, 'people:change')
  const { pool, clock } = backOfficeRuntime()
  const { applicationId } = actor
  const member = z.guid().safeParse(personId).success ? await readMember(pool, applicationId, personId) : undefined
  if (!member) notFound()
  const [t, locale, session, sessions, left, changes] = await Promise.all([
    getT(),
    readLocale(),
    readSession(),
    listMemberSessions(pool, { applicationId, personId, now: clock.now() }),
    readLeftBehind(pool, { applicationId, personId, lost: member.isActive && !member.isBlocked ? ROLES : [] }),
    listChanges(pool, { applicationId, kinds: PERSON_KINDS, actor }),
  ])
  return (
    <PageMessages messages={pickMessages(MESSAGES[locale], ['people.', 'change.', 'role.'])}>
      <PageHeader title={member.name} lead={<span className="wrap-anywhere">{member.email}</span>} />
      <PersonFacts t={t} member={member} />
      <ChangeList t={t} locale={locale} application={application} changes={changes.filter(({ subject }) => subject === personId)} />
      <SessionList t={t} application={application} personId={personId} sessions={sessions} currentId={session?.sessionId ?? null} />
      {personId !== actor.id && <LeaveSection t={t} application={application} personId={personId} member={member} left={left} />}
    </PageMessages>
  )
}
