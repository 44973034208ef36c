import { OperatorMark } from '#components/domain/operator-mark.tsx'
import { Table, Td, Th, Tr } from '#components/ui/display/table.tsx'
import type { Locale } from '#lib/i18n/locale.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { formatMinor } from '#lib/money/money.ts'
import { COUNTRIES, EXAMPLE_PHONES, OPERATORS } from '#lib/operators/operators.ts'
import { formatAmount } from '#lib/text/format.ts'
import { Code, GuideSection, List, P, PlaceLink } from '../prose.tsx'

/** The thirteen operators. */
export function OperatorGuide({ t, locale }: { t: Translate; locale: Locale }) {
  const group = (amountMinor: bigint) => formatAmount(formatMinor(amountMinor), locale)
  return (
    <>
      <GuideSection guide="operators" id="codes">
        <P>{t('guides.operators.codes.a')}</P>
        <ul className="divide-y divide-line border-y border-line">
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
                  <Code>{country.name}</Code> · {country.currency},{' '}
                  {t(decimals === 0 ? 'guides.operators.whole' : 'guides.operators.decimals')} · +{country.dialCode}
                </p>
                <p className="text-second text-quiet tabular">
                  {t('guides.operators.limits', {
                    collectFrom: group(limits.COLLECT.minimumMinor),
                    collectTo: group(limits.COLLECT.maximumMinor),
                    depositFrom: group(limits.DEPOSIT.minimumMinor),
                    depositTo: group(limits.DEPOSIT.maximumMinor),
                  })}
                </p>
              </div>
            </li>
          ))}
        </ul>
      </GuideSection>
      <GuideSection guide="operators" id="amounts">
        <List
          items={[
            t('guides.operators.amounts.a'),
            t('guides.operators.amounts.b'),
            t('guides.operators.amounts.c'),
            t('guides.operators.amounts.d'),
          ]}
        />
      </GuideSection>
      <GuideSection guide="operators" id="phones">
        <P>{t('guides.operators.phones.a')}</P>
        <div className="overflow-x-auto">
          <Table
            caption={t('guides.operators.phones.title')}
            head={
              <>
                <Th>{t('guides.operators.country')}</Th>
                <Th>{t('guides.operators.startsWith')}</Th>
                <Th>{t('docs.example')}</Th>
              </>
            }
          >
            {Object.values(COUNTRIES).map(({ name, dialCode }) => (
              <Tr key={name}>
                <Td>
                  <Code>{name}</Code>
                </Td>
                <Td className="font-mono">{dialCode}</Td>
                <Td className="font-mono">{EXAMPLE_PHONES[name]}</Td>
              </Tr>
            ))}
          </Table>
        </div>
        <P>{t('guides.operators.phones.b')}</P>
      </GuideSection>
    </>
  )
}
