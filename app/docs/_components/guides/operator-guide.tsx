import { OperatorMark } from '#components/domain/operator-mark.tsx'
import { Table, Td, Th, Tr } from '#components/ui/display/table.tsx'
import { formatMinor } from '#lib/money/money.ts'
import { COUNTRIES, OPERATORS } from '#lib/operators/operators.ts'
import { Code, GuideSection, List, P, PlaceLink } from '../prose.tsx'

const group = (amountMinor: bigint) => formatMinor(amountMinor).replaceAll(/\B(?=(\d{3})+$)/g, ',')

/** The thirteen operators. */
export function OperatorGuide() {
  return (
    <>
      <GuideSection guide="operators" id="codes">
        <P>`transferMethod` names one operator in one country, and `countryName` must be that country. Both are written in capitals.</P>
        <ul lang="en" className="divide-y divide-line border-y border-line">
          {Object.values(OPERATORS).map(({ code, country, decimals, limits }) => (
            <li
              key={code}
              id={code}
              className="grid scroll-mt-20 gap-x-4 gap-y-0.5 py-2 target:bg-accent-soft sm:grid-cols-[minmax(0,5fr)_minmax(0,7fr)]"
            >
              <p className="flex flex-wrap items-baseline gap-x-3">
                <PlaceLink id={code} className="w-24 font-mono font-strong">
                  {code}
                </PlaceLink>
                <OperatorMark code={code} isCountryHidden />
              </p>
              <div className="text-ink-2">
                <p>
                  <Code>{country.name}</Code> · {country.currency}, {decimals === 0 ? 'whole amounts' : 'two decimals'} · +
                  {country.dialCode}
                </p>
                <p className="text-second text-quiet tabular">
                  collect {group(limits.COLLECT.minimumMinor)} to {group(limits.COLLECT.maximumMinor)}, deposit{' '}
                  {group(limits.DEPOSIT.minimumMinor)} to {group(limits.DEPOSIT.maximumMinor)}
                </p>
              </div>
            </li>
          ))}
        </ul>
      </GuideSection>
      <GuideSection guide="operators" id="amounts">
        <List
          items={[
            'An amount is in the currency of the country: there is no field for a currency.',
            'The API takes up to two decimals for every operator. XAF, XOF and UGX have no cents in everyday use, and operators without decimals refuse them.',
            'The limits above are those that operators publish. The API enforces limits where the installation has set the amounts that an operator takes, which may also have to be multiples of a number, or where an administrator of your application has switched that on; then another amount is refused with 400, and the message says what is allowed. Otherwise the operator decides. GET /api/v2/operators returns the limits that count for you now.',
            'Two fees are computed for each transaction and returned as `feesSystem` and `feesApp`. A collect credits the amount less both, a deposit takes the amount and both.',
          ]}
        />
      </GuideSection>
      <GuideSection guide="operators" id="phones">
        <P>
          `phoneNumber` has 10 to 15 digits, starts with the dial code of the country and has no `+`, spaces or dashes. National numbers
          keep the digits that follow the dial code in international format:
        </P>
        <div lang="en" className="overflow-x-auto">
          <Table
            caption="Phone numbers"
            head={
              <>
                <Th>Country</Th>
                <Th>Starts with</Th>
                <Th>Example</Th>
              </>
            }
          >
            {Object.values(COUNTRIES).map(({ name, dialCode }) => (
              <Tr key={name}>
                <Td>
                  <Code>{name}</Code>
                </Td>
                <Td className="font-mono">{dialCode}</Td>
                <Td className="font-mono">{PHONES[name]}</Td>
              </Tr>
            ))}
          </Table>
        </div>
        <P>
          Benin and the Ivory Coast have longer numbers since 2024 and 2021; the API takes the old and the new length, and the operators
          only the new one.
        </P>
      </GuideSection>
    </>
  )
}

const PHONES: Record<keyof typeof COUNTRIES, string> = {
  CAMEROON: '237677209341',
  IVORY_COAST: '2250707123456',
  SENEGAL: '221771234567',
  BURKINA_FASO: '22670123456',
  MALI: '22370123456',
  BENIN: '2290197123456',
  UGANDA: '256772123456',
}
