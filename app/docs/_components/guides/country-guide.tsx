import { OperatorMark } from '#components/domain/operator-mark.tsx'
import type { Locale } from '#lib/i18n/locale.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { COUNTRIES, customerStepOf, OPERATORS } from '#lib/operators/operators.ts'
import { countryPlace } from '#lib/partner/guides.ts'
import type { SampleLanguage } from '#lib/partner/reference.ts'
import { formatAmount } from '#lib/text/format.ts'
import type { CountryStart } from '#server/http/reference/country-starts.ts'
import { CodeSamples } from '../code-block.tsx'
import { Code, GuideSection, List, P, StatusWord } from '../prose.tsx'

type Props = {
  t: Translate
  locale: Locale
  language: SampleLanguage
  starts: readonly CountryStart[]
  /** Which deposits of a program wait for approval in this sandbox; undefined outside of one. */
  waits: { application: string; limit: number; currency: string } | undefined
}

/** For each country: its operators, its currency, its numbers, a first collect, and numbers that try each result. */
export function CountryGuide({ t, locale, language, starts, waits }: Props) {
  return (
    <>
      <div className="mt-6 grid gap-3">
        <P>{t('guides.countries.intro')}</P>
      </div>
      {starts.map(({ country, operators, phone, refused, collect }) => {
        const { currency, dialCode } = COUNTRIES[country]
        const title = t('guides.countries.collect', { country: t(`country.${country}`) })
        return (
          <GuideSection key={country} guide="countries" id={countryPlace(country)}>
            <List
              items={[
                t('guides.countries.names', { country, currency }),
                t('guides.countries.number', { dialCode, digits: phone.length, phone }),
                t('guides.countries.decimals', {
                  amounts: t(
                    operators.every((code) => OPERATORS[code].decimals === 0) ? 'guides.operators.whole' : 'guides.countries.mixed',
                  ),
                }),
              ]}
            />
            <ul className="divide-y divide-line border-y border-line">
              {operators.map((code) => (
                <li key={code} className="grid gap-x-4 gap-y-0.5 py-2 sm:grid-cols-[minmax(0,5fr)_minmax(0,7fr)]">
                  <p className="flex flex-wrap items-baseline gap-x-3">
                    <span className="w-24">
                      <Code>{code}</Code>
                    </span>
                    <OperatorMark code={code} isCountryHidden />
                  </p>
                  <p className="text-ink-2">{t(`guides.step.${customerStepOf(code)}`)}</p>
                </li>
              ))}
            </ul>
            <CodeSamples title={title} samples={collect.samples} run={collect.run} initial={language} />
            <dl className="grid gap-2">
              <Result status="SUCCESS" text={t('guides.countries.paid', { phone })} />
              <Result status="FAILED" text={t('guides.countries.refused', { phone: refused.phone, message: refused.message })} />
              <Result
                status="PENDING_APPROVAL"
                text={
                  waits && waits.currency === currency
                    ? t('guides.countries.waitsHere', { ...waits, limit: formatAmount(String(waits.limit), locale) })
                    : t('guides.countries.waits')
                }
              />
            </dl>
          </GuideSection>
        )
      })}
    </>
  )
}

function Result({ status, text }: { status: 'SUCCESS' | 'FAILED' | 'PENDING_APPROVAL'; text: string }) {
  return (
    <div className="grid gap-x-4 gap-y-0.5 sm:grid-cols-[11rem_minmax(0,1fr)]">
      <dt>
        <StatusWord status={status} />
      </dt>
      <dd>
        <P>{text}</P>
      </dd>
    </div>
  )
}
