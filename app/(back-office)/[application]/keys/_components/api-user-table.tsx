import { TimeText } from '#components/domain/time-text.tsx'
import { Badge } from '#components/ui/badge.tsx'
import { Td, Tr } from '#components/ui/table.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import type { ListedApiUser } from '../read-credentials.ts'
import { ApiUserButtons } from './api-user-buttons.tsx'
import { CredentialTable } from './credential-table.tsx'
import { ProposeButton } from './propose-button.tsx'

type Props = { t: Translate; application: string; apiUsers: readonly ListedApiUser[]; mayPropose: boolean }

/** The sign-ins of the partner's programs. */
export function ApiUserTable({ t, application, apiUsers, mayPropose }: Props) {
  return (
    <CredentialTable
      t={t}
      id="api-users"
      title={t('credentials.users')}
      text={t('credentials.usersText')}
      buttons={mayPropose && <ProposeButton application={application} form="user" label={t('credentials.newUser')} />}
      empty={apiUsers.length === 0 ? <p className="mt-3 text-quiet">{t('credentials.noUsers')}</p> : null}
      heads={[t('credentials.username'), t('credentials.created'), t('credentials.state')]}
    >
      {apiUsers.map(({ apiUserId, username, isBlocked, createdAt }) => (
        <Tr key={apiUserId}>
          <Td className="@max-[560px]/card:basis-full">
            <span className="font-medium wrap-anywhere">{username}</span>
          </Td>
          <Td label={t('credentials.created')}>
            <TimeText at={createdAt} />
          </Td>
          <Td>
            <Badge tone={isBlocked ? 'bad' : 'ok'}>{t(isBlocked ? 'credentials.blocked' : 'credentials.userActive')}</Badge>
          </Td>
          <Td align="end">
            <ApiUserButtons application={application} apiUserId={apiUserId} name={username} isBlocked={isBlocked} mayPropose={mayPropose} />
          </Td>
        </Tr>
      ))}
    </CredentialTable>
  )
}
