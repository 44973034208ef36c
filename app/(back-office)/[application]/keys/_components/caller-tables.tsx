import { TimeText } from '#components/domain/time-text.tsx'
import { Badge } from '#components/ui/display/badge.tsx'
import { Notice } from '#components/ui/display/empty-state.tsx'
import { SectionHead } from '#components/ui/display/page.tsx'
import { Td, Tr } from '#components/ui/display/table.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import type { RefusalDto } from '#lib/partner/partner-requests.ts'
import type { ListedAddress, ListedApiUser } from '../read-credentials.ts'
import { ApiUserButtons, ProposeButton, RemoveAddressButton } from './credential-buttons.tsx'
import { CredentialTable } from './key-table.tsx'

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

type AddressTableProps = {
  t: Translate
  application: string
  addresses: readonly ListedAddress[]
  /** The address of this browser if it is not admitted yet. */
  ownAddress: string | null
  mayPropose: boolean
}

/** Addresses that may call the API. */
export function AddressTable({ t, application, addresses, ownAddress, mayPropose }: AddressTableProps) {
  return (
    <CredentialTable
      t={t}
      id="addresses"
      title={t('credentials.addresses')}
      text={t('credentials.addressesText')}
      buttons={
        <>
          {mayPropose && ownAddress && (
            <ProposeButton
              application={application}
              form="address"
              label={t('credentials.addYours', { address: ownAddress })}
              network={ownAddress}
            />
          )}
          {mayPropose && <ProposeButton application={application} form="address" label={t('credentials.newAddress')} />}
        </>
      }
      empty={
        addresses.length === 0 ? (
          <div className="mt-3">
            <Notice tone="wait">{t('credentials.noAddresses')}</Notice>
          </div>
        ) : null
      }
      heads={[t('credentials.network'), t('credentials.note'), t('credentials.added')]}
    >
      {addresses.map(({ network, note, createdAt, isLast }) => (
        <Tr key={network}>
          <Td>
            <span className="font-medium tabular wrap-anywhere">{network}</span>
          </Td>
          <Td className="wrap-anywhere">{note}</Td>
          <Td label={t('credentials.added')}>
            <TimeText at={createdAt} />
          </Td>
          <Td align="end">{mayPropose && <RemoveAddressButton application={application} network={network} isLast={isLast} />}</Td>
        </Tr>
      ))}
    </CredentialTable>
  )
}

type RefusalListProps = { t: Translate; application: string; refusals: readonly RefusalDto[]; mayPropose: boolean }

/** Why calls were refused with 401 and 403: by cause, the latest first, each with the change that fixes it. */
export function RefusalList({ t, application, refusals, mayPropose }: RefusalListProps) {
  return (
    <section aria-labelledby="refusals" className="mt-8">
      <SectionHead id="refusals" title={t('credentials.refusals')} text={t('credentials.refusalsText')} />
      {refusals.length === 0 && <p className="mt-3 text-quiet">{t('credentials.noRefusals')}</p>}
      <ul className="mt-3 grid gap-2">
        {refusals.map((refusal) => (
          <li key={refusal.cause} className="rounded-lg border border-line bg-surface p-4">
            <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
              <h3 className="font-strong">
                <span className="mr-2 text-quiet tabular">{refusal.status}</span>
                {t(`credentials.cause.${refusal.cause}`)}
              </h3>
              <span className="text-second text-quiet">
                {t('credentials.times', { count: refusal.count })} · <TimeText at={refusal.lastAt} />
              </span>
            </div>
            <p className="mt-1 max-w-3xl">{t(`credentials.fix.${refusal.cause}`)}</p>
            <ul className="mt-2 grid gap-1">
              {refusal.rows.map((row) => (
                <li key={`${row.address} ${row.subject}`} className="flex flex-wrap items-center gap-x-3 gap-y-1">
                  <span className="tabular wrap-anywhere">{addressText(t, row.address)}</span>
                  {row.subject && <span className="text-ink-2 wrap-anywhere">{row.subject}</span>}
                  <span className="text-second text-quiet">
                    {t('credentials.times', { count: row.count })} · <TimeText at={row.lastAt} />
                  </span>
                  {mayPropose && refusal.cause === 'address_not_allowed' && isAddress(row.address) && (
                    <ProposeButton
                      application={application}
                      form="address"
                      size="small"
                      label={t('credentials.allowThis', { address: row.address })}
                      network={row.address}
                    />
                  )}
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </section>
  )
}

function isAddress(text: string): boolean {
  return /^[0-9a-f.:]+$/i.test(text)
}

function addressText(t: Translate, address: string): string {
  if (address === '*') return t('credentials.manyAddresses')
  return isAddress(address) ? address : t('credentials.unknownAddress')
}
