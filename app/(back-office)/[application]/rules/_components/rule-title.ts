import { BASE_RULE } from '#lib/approval-policy.ts'
import type { Translate } from '#lib/i18n/translate.ts'

/** The name of a rule; that of the default rule is in the language of the page. */
export function ruleTitle(t: Translate, name: string): string {
  return name === BASE_RULE.name ? t('rules.baseName') : name
}
