import { RelativeTime } from '#components/domain/time-text.tsx'
import { Badge } from '#components/ui/badge.tsx'
import { Link } from '#components/ui/link.tsx'
import { Table, Td, Th, Tr } from '#components/ui/table.tsx'
import { TableCard } from '#components/ui/table-card.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import { paths } from '#lib/paths.ts'
import { combinesRoles } from '#lib/permissions.ts'
import type { PersonListing } from '#server/applications/access-queries.ts'
import { PersonButtons } from './person-buttons.tsx'

type Props = {
  t: Translate
  application: string
  people: readonly PersonListing[]
  actorId: string
  /** Nobody else could confirm a change. */
  isAlone: boolean
}

/** Everybody who is or was a member, by name. */
export function PeopleTable({ t, application, people, actorId, isAlone }: Props) {
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
