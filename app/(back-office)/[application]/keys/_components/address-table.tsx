import { TimeText } from '#components/domain/time-text.tsx'
import { Notice } from '#components/ui/empty-state.tsx'
import { Table, Td, Th, Tr } from '#components/ui/table.tsx'
import { TableCard } from '#components/ui/table-card.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import type { ListedAddress } from '../read-credentials.ts'
import { ProposeButton } from './propose-button.tsx'
import { RemoveAddressButton } from './remove-address-button.tsx'
import { SectionHead } from './section-head.tsx'

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
    <div className="mt-8">
      <SectionHead id="addresses" title={t('credentials.addresses')} text={t('credentials.addressesText')}>
        {mayPropose && ownAddress && (
          <ProposeButton
            application={application}
            form="address"
            label={t('credentials.addYours', { address: ownAddress })}
            network={ownAddress}
          />
        )}
        {mayPropose && <ProposeButton application={application} form="address" label={t('credentials.newAddress')} />}
      </SectionHead>
      {addresses.length === 0 ? (
        <div className="mt-3">
          <Notice tone="wait">{t('credentials.noAddresses')}</Notice>
        </div>
      ) : (
        <TableCard label={t('credentials.addresses')} className="mt-3">
          <Table
            caption={t('credentials.addresses')}
            isList
            head={
              <>
                <Th>{t('credentials.network')}</Th>
                <Th>{t('credentials.note')}</Th>
                <Th>{t('credentials.added')}</Th>
                <Th>
                  <span className="sr-only">{t('credentials.actions')}</span>
                </Th>
              </>
            }
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
          </Table>
        </TableCard>
      )}
    </div>
  )
}
