import { RelativeTime, TimeText } from '#components/domain/time-text.tsx'
import { Badge } from '#components/ui/badge.tsx'
import { Table, Td, Th, Tr } from '#components/ui/table.tsx'
import { TableCard } from '#components/ui/table-card.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import { readUserAgent } from '#lib/user-agent.ts'
import type { SessionListing } from '#server/people/list-member-sessions.ts'
import { EndSessionButton } from './end-session-button.tsx'

type Props = {
  t: Translate
  application: string
  personId: string
  sessions: readonly SessionListing[]
  /** The session of the person who looks. */
  currentId: string | null
}

/** Where a person is signed in, with a button to end each session, and all of them. */
export function SessionList({ t, application, personId, sessions, currentId }: Props) {
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
