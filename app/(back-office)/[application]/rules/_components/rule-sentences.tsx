import { Notice } from '#components/ui/empty-state.tsx'
import type { ApprovalRule } from '#lib/approval-policy.ts'
import type { Locale } from '#lib/i18n/locale.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { ruleSentence } from '#lib/rule-sentence.ts'
import { ruleTitle } from './rule-title.ts'

/** The rules of a version, a sentence each. Null: they cannot be read. */
export function RuleSentences({ t, locale, rules }: { t: Translate; locale: Locale; rules: readonly ApprovalRule[] | null }) {
  if (rules === null) {
    return (
      <div className="mt-2">
        <Notice tone="bad">{t('rules.unreadable')}</Notice>
      </div>
    )
  }
  if (rules.length === 0) return <p className="mt-2">{t('rules.none')}</p>
  return (
    <ol className="mt-2 divide-y divide-line rounded-lg border border-line bg-surface">
      {rules.map((rule) => (
        <li key={rule.name} className="px-4 py-2.5">
          <span className="block wrap-anywhere">{ruleSentence(t, locale, rule)}</span>
          <span className="block text-second text-quiet wrap-anywhere">{ruleTitle(t, rule.name)}</span>
        </li>
      ))}
    </ol>
  )
}
