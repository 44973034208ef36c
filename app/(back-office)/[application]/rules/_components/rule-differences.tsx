import { Badge, type Tone } from '#components/ui/badge.tsx'
import type { ApprovalRule } from '#lib/approval-policy.ts'
import type { Locale } from '#lib/i18n/locale.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { compareRules, type RuleDifference } from '#lib/rule-difference.ts'
import { ruleSentence } from '#lib/rule-sentence.ts'
import { ruleTitle } from './rule-title.ts'

const TONES: Readonly<Record<RuleDifference['kind'], Tone>> = { added: 'ok', removed: 'bad', changed: 'wait', renamed: 'neutral' }

type Props = { t: Translate; locale: Locale; before: readonly ApprovalRule[] | null; after: readonly ApprovalRule[] | null }

/** What one version changes in another, rule by rule, in sentences. */
export function RuleDifferences({ t, locale, before, after }: Props) {
  if (before === null || after === null) return <p className="mt-2">{t('rules.unreadable')}</p>
  const differences = compareRules(before, after)
  if (differences.length === 0) return <p className="mt-2">{t('rules.same')}</p>
  return (
    <ul className="mt-2 grid gap-3">
      {differences.map((difference) => (
        <li key={`${difference.kind} ${nameOf(difference)}`}>
          <p className="flex flex-wrap items-center gap-2">
            <Badge tone={TONES[difference.kind]}>{t(`rules.difference.${difference.kind}`)}</Badge>
            <span className="font-medium wrap-anywhere">{ruleTitle(t, nameOf(difference))}</span>
          </p>
          {'before' in difference && <del className="mt-1 block text-quiet wrap-anywhere">{sentence(t, locale, difference, 'before')}</del>}
          {'after' in difference && <ins className="mt-1 block no-underline wrap-anywhere">{sentence(t, locale, difference, 'after')}</ins>}
        </li>
      ))}
    </ul>
  )
}

function nameOf(difference: RuleDifference): string {
  return 'after' in difference ? difference.after.name : difference.before.name
}

/** A renamed rule differs only by its name. */
function sentence(t: Translate, locale: Locale, difference: RuleDifference, side: 'before' | 'after'): string {
  const rule = side === 'before' && 'before' in difference ? difference.before : 'after' in difference ? difference.after : null
  if (!rule) return ''
  return difference.kind === 'renamed' ? rule.name : ruleSentence(t, locale, rule)
}
