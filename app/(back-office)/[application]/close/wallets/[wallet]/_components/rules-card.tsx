import { Card, Facts } from '#components/ui/display/card.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import type { MatchingRules } from '#lib/reconciliation/matching-rules.ts'
import { RulesButton } from './rules-button.tsx'

type Props = { t: Translate; application: string; wallet: string; rules: MatchingRules & { version: number } }

/** By which rules lines of the wallet are matched that no id has matched. */
export function RulesCard({ t, application, wallet, rules: { version, ...rules } }: Props) {
  return (
    <section className="mt-6 max-w-2xl" aria-labelledby="matching-rules">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 id="matching-rules">{t('matching.title')}</h2>
        <RulesButton application={application} wallet={wallet} rules={rules} />
      </div>
      <p className="mt-1 text-ink-2">{t('matching.lead')}</p>
      <div className="mt-2">
        <Card>
          <Facts
            nameClass="w-44"
            facts={[
              { name: t('matching.version'), value: version },
              { name: t('matching.beforeHours'), value: rules.beforeHours },
              { name: t('matching.afterHours'), value: rules.afterHours },
              { name: t('matching.numberPairs'), value: t(`matching.pairs.${rules.numberPairs}`) },
              { name: t('matching.phoneForms'), value: t(`matching.forms.${rules.phoneForms}`) },
            ]}
          />
        </Card>
      </div>
    </section>
  )
}
