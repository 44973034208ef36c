import { notFound } from 'next/navigation'
import { z } from 'zod'
import { RelativeTime, TimeText } from '#components/domain/time-text.tsx'
import { NotAllowed } from '#components/ui/button.tsx'
import { Badge } from '#components/ui/display/badge.tsx'
import { Notice } from '#components/ui/display/empty-state.tsx'
import { PageHeader } from '#components/ui/display/page.tsx'
import { Table, TableCard, Td, Th, Tr } from '#components/ui/display/table.tsx'
import type { LeftBehind } from '#lib/approvals/blocked-items.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { combinesRoles, ROLES } from '#lib/people/permissions.ts'
import { readUserAgent } from '#lib/people/sign-in.ts'
import { requireActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT, readLocale } from '#server/back-office/preferences.ts'
import { readSession } from '#server/back-office/session/session.ts'
import { listChanges } from '#server/changes/list-changes.ts'
import { type Member, readMember } from '#server/people/person-store.ts'
import type { SessionListing } from '#server/people/sign-in/session-store.ts'
import { listMemberSessions } from '#server/people/sign-in/sessions.ts'
import { readLeftBehind } from '#server/reports/blocked-items/read-left-behind.ts'
import { ChangeList } from '../../_components/changes/change-list.tsx'
import { PageContent, type PageProps, titled } from '../../_components/page-content.tsx'
import { EndSessionButton, LeaveButtons } from './_components/access-buttons.tsx'
import { LeftList } from './_components/left-list.tsx'

export const generateMetadata = titled('people.title')

const PERSON_KINDS = ['person.roles', 'person.second_factor_reset'] as const

/** One member: roles, sessions, and what would wait for nobody if they left. */
export default async function PersonPage({ params }: PageProps<'personId'>) {
  const { application, personId } = await params
  const actor = await requireActor(application, 'people:change')
  const { pool, clock } = backOfficeRuntime()
  const { applicationId } = actor
  const member = z.guid().safeParse(personId).success ? await readMember(pool, applicationId, personId) : undefined
  if (!member) notFound()
  const [t, locale, session, sessions, left, { changes }] = await Promise.all([
    getT(),
    readLocale(),
    readSession(),
    listMemberSessions(pool, { applicationId, personId, now: clock.now() }),
    readLeftBehind(pool, { applicationId, personId, lost: member.isActive && !member.isBlocked ? ROLES : [] }),
    listChanges(pool, { applicationId, kinds: PERSON_KINDS, actor }),
  ])
  return (
    <PageContent words={['people.', 'change.', 'role.']}>
      <PageHeader title={member.name} lead={<span className="wrap-anywhere">{member.email}</span>} />
      <PersonFacts t={t} member={member} />
      <ChangeList t={t} locale={locale} application={application} changes={changes.filter(({ subject }) => subject === personId)} />
      <SessionList t={t} application={application} personId={personId} sessions={sessions} currentId={session?.sessionId ?? null} />
      {personId !== actor.id && <LeaveSection t={t} application={application} personId={personId} member={member} left={left} />}
    </PageContent>
  )
}

/** A member's roles and last activity. */
function PersonFacts({ t, member }: { t: Translate; member: Member }) {
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

type LeaveSectionProps = { t: Translate; application: string; personId: string; member: Member; left: LeftBehind }

/** The consequences of removing or suspending a person, and the buttons for both. */
function LeaveSection({ t, application, personId, member, left }: LeaveSectionProps) {
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

type SessionListProps = {
  t: Translate
  application: string
  personId: string
  sessions: readonly SessionListing[]
  /** The session of the person who looks. */
  currentId: string | null
}

/** Where a person is signed in, with a button to end each session, and all of them. */
function SessionList({ t, application, personId, sessions, currentId }: SessionListProps) {
  return (
    <section aria-labelledby="sessions" className="mt-6">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 id="sessions">{t('people.sessions')}</h2>
        {sessions.length > 0 && (
          <EndSessionButton application={application} personId={personId} sessionId={null} name={t('people.endAll')}>
            {t('people.endAll')}
          </EndSessionButton>
        )}
      </div>
      {sessions.length === 0 ? (
        <p className="mt-1 text-quiet">{t('people.noSessions')}</p>
      ) : (
        <TableCard label={t('people.sessionTable')} className="mt-2">
          <Table
            caption={t('people.sessionTable')}
            isList
            head={
              <>
                <Th>{t('people.browser')}</Th>
                <Th>{t('people.address')}</Th>
                <Th>{t('people.since')}</Th>
                <Th>{t('people.lastUsed')}</Th>
                <Th>
                  <span className="sr-only">{t('people.actions')}</span>
                </Th>
              </>
            }
          >
            {sessions.map(({ sessionId, userAgent, address, startedAt, lastUsedAt }) => (
              <Tr key={sessionId}>
                <Td className="whitespace-nowrap">
                  <span title={userAgent}>{browserWords(t, userAgent)}</span>{' '}
                  {sessionId === currentId && <Badge tone="ok">{t('people.thisSession')}</Badge>}
                </Td>
                <Td className="tabular">{address}</Td>
                <Td label={t('people.since')}>
                  <TimeText at={startedAt.toISOString()} />
                </Td>
                <Td label={t('people.lastUsed')}>
                  <RelativeTime at={lastUsedAt.toISOString()} isCoarse />
                </Td>
                <Td align="end">
                  <EndSessionButton
                    application={application}
                    personId={personId}
                    sessionId={sessionId}
                    name={t('people.endSessionOf', { browser: browserWords(t, userAgent) })}
                  >
                    {t('people.endSession')}
                  </EndSessionButton>
                </Td>
              </Tr>
            ))}
          </Table>
        </TableCard>
      )}
      <p className="mt-2 text-second text-quiet">{t('people.sessionsElsewhere')}</p>
    </section>
  )
}

function browserWords(t: Translate, userAgent: string): string {
  const { browser, system } = readUserAgent(userAgent)
  if (browser && system) return t('people.browserOn', { browser, system })
  return browser ?? system ?? t('people.unknownBrowser')
}
