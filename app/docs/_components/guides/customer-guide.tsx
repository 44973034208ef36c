import { OperatorMark } from '#components/domain/operator-mark.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import { customerStepOf, OPERATOR_CODES, OPERATORS } from '#lib/operators/operators.ts'
import type { SampleLanguage } from '#lib/partner/reference.ts'
import type { STEP_EXAMPLES } from '#server/http/reference/country-starts.ts'
import { CodeSamples } from '../code-block.tsx'
import { Code, GuideSection, List, P } from '../prose.tsx'

type Props = { t: Translate; baseUrl: string; language: SampleLanguage; examples: typeof STEP_EXAMPLES }

/** How the customers of a collect pay at each of the operators. */
export function CustomerGuide({ t, baseUrl, language, examples }: Props) {
  const withPrompt = OPERATOR_CODES.filter((code) => customerStepOf(code) === 'prompt').length
  return (
    <>
      <GuideSection guide="customers" id="steps">
        <P>{t('guides.customers.steps.text', { prompts: withPrompt, all: OPERATOR_CODES.length })}</P>
        <ul className="divide-y divide-line border-y border-line">
          {Object.values(OPERATORS).map(({ code, country }) => (
            <li key={code} className="grid gap-x-4 gap-y-0.5 py-2 sm:grid-cols-[minmax(0,5fr)_minmax(0,7fr)]">
              <p className="flex flex-wrap items-baseline gap-x-3">
                <span className="w-24">
                  <Code>{code}</Code>
                </span>
                <OperatorMark code={code} isCountryHidden />
                <Code>{country.name}</Code>
              </p>
              <p className="text-ink-2">{t(`guides.step.${customerStepOf(code)}`)}</p>
            </li>
          ))}
        </ul>
      </GuideSection>
      <GuideSection guide="customers" id="page">
        <P>{t('guides.customers.page.text', { baseUrl })}</P>
        <List
          items={[t('guides.customers.page.a'), t('guides.customers.page.b'), t('guides.customers.page.c'), t('guides.customers.page.d')]}
        />
      </GuideSection>
      <GuideSection guide="customers" id="result">
        <P>{t('guides.customers.result.a')}</P>
      </GuideSection>
      <GuideSection guide="customers" id="test">
        <P>{t('guides.customers.test.a')}</P>
        <P>{t('guides.customers.test.each')}</P>
        {examples.map(({ step, operator, collect }) => (
          <div key={step} className="grid grid-cols-[minmax(0,1fr)] gap-2">
            <p className="font-medium">
              {t(`guides.step.${step}`)} (<Code>{operator}</Code>)
            </p>
            <CodeSamples
              title={t('guides.customers.test.collect', { operator })}
              samples={collect.samples}
              run={collect.run}
              initial={language}
            />
          </div>
        ))}
      </GuideSection>
    </>
  )
}
