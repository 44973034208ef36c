import type { ReactNode } from 'react'
import { Money } from '#components/domain/money.tsx'
import { OperatorMark } from '#components/domain/operator-mark.tsx'
import { CustomerName, PhoneText } from '#components/domain/payment.tsx'
import { ListTable } from '#components/ui/display/table.tsx'
import type { ImportedPersonDto } from '#lib/beneficiaries/beneficiary-import.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { OPERATORS } from '#lib/operators/operators.ts'

type Fact = Pick<ImportedPersonDto, 'name' | 'operator' | 'phoneNumber' | 'groupName' | 'amount'>

/** People of a file: what each would be, and beside it what the book says now where that differs. */
export function ImportedTable({ t, people }: { t: Translate; people: readonly ImportedPersonDto[] }) {
  return (
    <ListTable
      label={t('beneficiaries.import.peopleTitle')}
      isList
      rows={people}
      keyOf={({ phoneNumber }) => phoneNumber}
      columns={[
        {
          head: t('beneficiaries.import.effect'),
          cell: ({ effect }) => <span className="text-ink-2">{t(`beneficiaries.import.effect.${effect}`)}</span>,
        },
        { head: t('beneficiaries.name'), cell: (one) => <Both one={one} of="name" show={({ name }) => <CustomerName name={name} />} /> },
        {
          head: t('beneficiaries.number'),
          cell: (one) => <Both one={one} of="phoneNumber" show={({ phoneNumber }) => <PhoneText phoneNumber={phoneNumber} />} />,
        },
        {
          head: t('beneficiaries.operator'),
          cell: (one) => <Both one={one} of="operator" show={({ operator }) => <OperatorMark code={operator} />} />,
        },
        {
          head: t('beneficiaries.group'),
          isLabelled: true,
          cell: (one) => <Both one={one} of="groupName" show={({ groupName }) => (groupName === null ? '–' : <bdi>{groupName}</bdi>)} />,
        },
        {
          head: t('beneficiaries.amount'),
          align: 'end',
          isLabelled: true,
          cell: (one) => (
            <Both
              one={one}
              of="amount"
              show={({ amount, operator }) =>
                amount === null ? '–' : <Money amount={amount} currency={OPERATORS[operator].country.currency} />
              }
            />
          ),
        },
      ]}
    />
  )
}

function Both({ one, of, show }: { one: ImportedPersonDto; of: keyof Fact; show: (fact: Fact) => ReactNode }) {
  const { present } = one
  return (
    <>
      {present && present[of] !== one[of] && (
        <>
          <del className="text-quiet">{show(present)}</del>{' '}
          <span aria-hidden="true" className="text-ink-3">
            →
          </span>{' '}
        </>
      )}
      {show(one)}
    </>
  )
}
