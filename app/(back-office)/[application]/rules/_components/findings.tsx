import { Notice } from '#components/ui/display/empty-state.tsx'
import type { Locale } from '#lib/i18n/locale.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { findingText, isRefused, type RuleFinding } from '#lib/rules/rule-finding.ts'

type Props = {
  t: Translate
  locale: Locale
  findings: readonly RuleFinding[]
  /** The version in effect has them as well: they are no reason against another version. */
  isInEffect?: boolean
}

/** Problems with rules, given the current people and services. */
export function Findings({ t, locale, findings, isInEffect = false }: Props) {
  return findings.map((finding) => (
    <Notice key={JSON.stringify(finding)} tone={isRefused(finding) && !isInEffect ? 'bad' : 'wait'}>
      {findingText(t, locale, finding)} {isInEffect && t('rules.findingInEffect')}
    </Notice>
  ))
}
