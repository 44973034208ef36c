import { RelativeTime } from '#components/domain/time-text.tsx'
import { Badge } from '#components/ui/display/badge.tsx'
import { PageHeader } from '#components/ui/display/page.tsx'
import { Table, TableCard, Td, Th, Tr } from '#components/ui/display/table.tsx'
import { Link } from '#components/ui/link.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import { paths } from '#lib/pages/paths.ts'
import { combinesRoles } from '#lib/people/permissions.ts'
import { listAccess, type PersonListing } from '#server/applications/access/access-store.ts'
import { requireActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT, readLocale } from '#server/back-office/preferences.ts'
import { listChanges } from '#server/changes/list-changes.ts'
import { listInvitations } from '#server/people/invitation-store.ts'
import { ChangeList } from '../_components/changes/change-list.tsx'
import { ConfirmationNotice } from '../_components/changes/confirmation-notice.tsx'
import { DeputySection } from '../_components/deputies/deputy-section.tsx'
import { PageContent, type PageProps, titled } from '../_components/page-content.tsx'
import { InvitationList } from './_components/invitation-list.tsx'
import { InviteButtons, PersonButtons } from './_components/people-buttons.tsx'

const PERSON_KINDS = ['person.invite', 'person.deputy', 'person.roles', 'person.second_factor_reset'] as const

export const generateMetadata = titled('people.title')

/** The members of an application and the people who are invited. Invitations and changes wait for a second administrator. */
export default async function PeoplePage({ params }: PageProps) {
  const { application } = await params
  const actor = await requireActor(application, 'people:change')
  const { pool } = backOfficeRuntime()
  const { applicationId } = actor
  const [t, locale, { people }, { changes, ...confirmation }, invitations] = await Promise.all([
    getT(),
    readLocale(),
    listAccess(pool, applicationId),
    listChanges(pool, { applicationId, kinds: PERSON_KINDS, actor }),
    listInvitations(pool, applicationId),
  ])
  return (
    <PageContent words={['people.', 'change.', 'role.', 'deputy.']}>
      <PageHeader title={t('people.title')} actions={!confirmation.isAlone && <InviteButtons application={application} />} />
      <ConfirmationNotice t={t} alone="people.alone" {...confirmation} />
      <ChangeList t={t} locale={locale} application={application} changes={changes} />
      <InvitationList t={t} application={application} invitations={invitations} actorId={actor.id} />
      <PeopleTable t={t} application={application} people={people} actorId={actor.id} isAlone={confirmation.isAlone} />
      <section aria-labelledby="deputies" className="mt-6">
        <h2 id="deputies">{t('deputy.title')}</h2>
        <p className="mt-0.5 mb-2 text-second text-quiet">{t('deputy.lead')}</p>
        <DeputySection t={t} actor={actor} />
      </section>
    </PageContent>
  )
}

type PeopleTableProps = {
  t: Translate
  application: string
  people: readonly PersonListing[]
  actorId: string
  /** Nobody else could confirm a change. */
  isAlone: boolean
}

/** Everybody who is or was a member, by name. */
function PeopleTable({ t, application, people, actorId, isAlone }: PeopleTableProps) {
  return (
    <section aria-labelledby="members" className="mt-6">
      <h2 id="members">{t('people.members', { count: people.length })}</h2>
      <TableCard label={t('people.title')} className="mt-2">
        <Table
          caption={t('people.title')}
          isList
          head={
            <>
              <Th>{t('people.name')}</Th>
              <Th>{t('people.roles')}</Th>
              <Th>{t('people.secondFactor')}</Th>
              <Th>{t('people.membership')}</Th>
              <Th>{t('people.lastSeen')}</Th>
              <Th>
                <span className="sr-only">{t('people.actions')}</span>
              </Th>
            </>
          }
        >
          {people.map((person) => (
            <Tr key={person.personId}>
              <Td className="@max-[560px]/card:basis-full">
                <Link href={paths.person(application, person.personId)} className="block font-medium hover:underline">
                  {person.name}
                </Link>
                <span className="block text-second text-quiet wrap-anywhere">{person.email}</span>
              </Td>
              <Td>
                {person.roles.map((role) => t(`role.${role}`)).join(', ')}
                {combinesRoles(person.roles) && (
                  <span className="mt-1 block">
                    <Badge tone="wait">{t('people.combinesRoles')}</Badge>
                  </span>
                )}
              </Td>
              <Td label={t('people.secondFactor')}>{t(person.hasSecondFactor ? 'people.factorOn' : 'people.factorOff')}</Td>
              <Td>
                <State t={t} person={person} />
              </Td>
              <Td label={t('people.lastSeen')} className="whitespace-nowrap">
                {person.lastSeenAt ? <RelativeTime at={person.lastSeenAt.toISOString()} isCoarse /> : t('people.neverSeen')}
              </Td>
              <Td align="end">
                {person.personId === actorId ? (
                  <span className="text-second text-quiet">{t('people.you')}</span>
                ) : (
                  !isAlone && (
                    <PersonButtons
                      application={application}
                      person={{
                        personId: person.personId,
                        name: person.name,
                        roles: person.roles,
                        isActive: person.isActive,
                        hasSecondFactor: person.hasSecondFactor,
                      }}
                    />
                  )
                )}
              </Td>
            </Tr>
          ))}
        </Table>
      </TableCard>
    </section>
  )
}

function State({ t, person }: { t: Translate; person: PersonListing }) {
  if (person.isBlocked) return <Badge tone="bad">{t('people.blocked')}</Badge>
  if (person.isSuspended) return <Badge tone="bad">{t('people.suspended')}</Badge>
  return person.isActive ? <Badge tone="ok">{t('people.active')}</Badge> : <Badge>{t('people.ended')}</Badge>
}
