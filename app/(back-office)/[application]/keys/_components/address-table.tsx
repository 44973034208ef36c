import { TimeText } from '#components/domain/time-text.tsx'
import { Notice } from '#components/ui/empty-state.tsx'
import { Td, Tr } from '#components/ui/table.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import type { ListedAddress } from '../read-credentials.ts'
import { CredentialTable } from './credential-table.tsx'
import { ProposeButton } from './propose-button.tsx'
import { RemoveAddressButton } from './remove-address-button.tsx'

type Props = {
  t: Translate
  application: string
  addresses: readonly ListedAddress[]
  /** The address of this browser if it is not admitted yet. */
  ownAddress: string | null
  mayPropose: boolean
}

/** From where the API may be called. */
export function AddressTable({ t, application, addresses, ownAddress, mayPropose }: Props) {
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
