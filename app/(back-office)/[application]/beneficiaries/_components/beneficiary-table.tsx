import { Money } from '#components/domain/money.tsx'
import { OperatorMark } from '#components/domain/operator-mark.tsx'
import { CustomerName, PhoneText } from '#components/domain/payment.tsx'
import { ButtonLink } from '#components/ui/button.tsx'
import { type Column, ListTable } from '#components/ui/display/table.tsx'
import type { BeneficiaryDto, BeneficiaryGroup } from '#lib/beneficiaries/beneficiaries.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { newPaymentPath } from '#lib/payments/payment-preview.ts'
import { ArchiveButton, EditButton, IdentityButton, ReturnButton } from './beneficiary-buttons.tsx'

type Props = {
  t: Translate
  application: string
  beneficiaries: readonly BeneficiaryDto[]
  groups: readonly BeneficiaryGroup[]
  mayChange: boolean
  mayPropose: boolean
  mayPay: boolean
}

/** The people of the book, with what the viewer may do with each. */
export function BeneficiaryTable({ t, application, beneficiaries, groups, mayChange, mayPropose, mayPay }: Props) {
  const actions: Column<BeneficiaryDto>[] = [
    {
      head: t('beneficiaries.actions'),
      align: 'end',
      cell: (one) => (
        <div className="flex flex-wrap justify-end gap-2 py-1 @max-[560px]/card:justify-start">
          {one.isArchived && mayChange && <ReturnButton application={application} beneficiary={one} />}
          {!one.isArchived && mayPay && (
            <ButtonLink
              size="small"
              href={newPaymentPath(application, { to: one.phoneNumber })}
              aria-label={t('beneficiaries.payOf', { name: one.name })}
            >
              {t('beneficiaries.pay')}
            </ButtonLink>
          )}
          {!one.isArchived && mayChange && <EditButton application={application} beneficiary={one} groups={groups} />}
          {!one.isArchived && mayPropose && <IdentityButton application={application} beneficiary={one} />}
          {!one.isArchived && mayChange && <ArchiveButton application={application} beneficiary={one} />}
        </div>
      ),
    },
  ]
  return (
    <ListTable
      label={t('frame.beneficiaries')}
      isList
      rows={beneficiaries}
      keyOf={({ beneficiaryId }) => beneficiaryId}
      columns={[
        {
          head: t('beneficiaries.name'),
          cell: ({ name, phoneNumber }) => (
            <>
              <CustomerName name={name} className="font-medium wrap-anywhere" />
              <PhoneText phoneNumber={phoneNumber} className="block text-second text-quiet" />
            </>
          ),
        },
        { head: t('beneficiaries.operator'), cell: ({ operator }) => <OperatorMark code={operator} /> },
        { head: t('beneficiaries.group'), isLabelled: true, cell: ({ groupName }) => (groupName === null ? '–' : <bdi>{groupName}</bdi>) },
        {
          head: t('beneficiaries.amount'),
          align: 'end',
          isLabelled: true,
          cell: ({ amount, currency }) => (amount === null ? '–' : <Money amount={amount} currency={currency} />),
        },
        ...(mayChange || mayPay ? actions : []),
      ]}
    />
  )
}
