import { Notice } from '#components/ui/display/empty-state.tsx'
import type { Locale } from '#lib/i18n/locale.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { findingText, isRefused, type RuleFinding } from '#lib/rules/rule-finding.ts'

/** Problems with rules, given the current people and services. */
export function Findings({ t, locale, findings }: { t: Translate; locale: Locale; findings: readonly RuleFinding[] }) {
  return findings.map((finding) => (
    <Notice key={JSON.stringify(finding)} tone={isRefused(finding) ? 'bad' : 'wait'}>
      {findingText(t, locale, finding)}
    </Notice>
  ))
}
