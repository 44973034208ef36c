import { Notice } from '#components/ui/empty-state.tsx'
import type { Locale } from '#lib/i18n/locale.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { isRefused, type RuleFinding } from '#lib/rule-finding.ts'
import { findingText } from '#lib/rule-finding-text.ts'

/** What is wrong with rules for the people and services that are there now. */
export function Findings({ t, locale, findings }: { t: Translate; locale: Locale; findings: readonly RuleFinding[] }) {
  return findings.map((finding) => (
    <Notice key={JSON.stringify(finding)} tone={isRefused(finding) ? 'bad' : 'wait'}>
      {findingText(t, locale, finding)}
    </Notice>
  ))
}
