import type { Translate } from './i18n/translate.ts'
import type { RuleFinding } from './rule-finding.ts'

/** Returns a finding as one sentence that says what is wrong and, for a refusal, what would help. */
export function findingText(t: Translate, finding: RuleFinding): string {
  if (finding.kind === 'currency_without_rule') {
    const { type, isApi, currencies } = finding
    const kind = t(`rules.sentence.types.${type}`).toLowerCase()
    return t(isApi ? 'rules.finding.currencyApi' : 'rules.finding.currencyPerson', { kind, currencies: currencies.join(', ') })
  }
  const { rules, needed, available, needsCode } = finding
  const values = { rules: rules.join(' + '), count: needed, available }
  if (finding.kind === 'makers_stuck')
    return t(needsCode ? 'rules.finding.stuckCode' : 'rules.finding.stuck', { ...values, makers: finding.makers.join(', ') })
  return t(needsCode ? 'rules.finding.nobodyCode' : 'rules.finding.nobody', values)
}
