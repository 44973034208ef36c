import { moneyText } from './format.ts'
import type { Locale } from './i18n/locale.ts'
import type { Translate } from './i18n/translate.ts'
import { formatMinor } from './money.ts'
import { OPERATORS, type OperatorCode } from './operators.ts'
import type { RuleFinding } from './rule-finding.ts'

/** Returns a finding as one sentence that says what is wrong and, for a refusal, what would help. */
export function findingText(t: Translate, locale: Locale, finding: RuleFinding): string {
  if (finding.kind === 'currency_without_rule') {
    const { type, isApi, currencies } = finding
    const kind = t(`rules.sentence.types.${type}`).toLowerCase()
    return t(isApi ? 'rules.finding.currencyApi' : 'rules.finding.currencyPerson', { kind, currencies: currencies.join(', ') })
  }
  if (finding.kind === 'operators_without_rule') {
    const kind = t(`rules.sentence.types.${finding.type}`).toLowerCase()
    return t('rules.finding.operators', { kind, operators: operatorNames(t, locale, finding.operators) })
  }
  if (finding.kind === 'amounts_without_rule') {
    const { type, currency, upToMinor, operators } = finding
    const values = {
      kind: t(`rules.sentence.types.${type}`),
      amount: moneyText({ amount: formatMinor(BigInt(upToMinor)), currency }, locale),
    }
    if (operators === null) return t('rules.finding.amounts', values)
    return t('rules.finding.amountsAt', { ...values, operators: operatorNames(t, locale, operators) })
  }
  const { rules, needed, available, needsCode } = finding
  const values = { rules: rules.join(' + '), count: needed, available }
  if (finding.kind === 'makers_stuck')
    return t(needsCode ? 'rules.finding.stuckCode' : 'rules.finding.stuck', { ...values, makers: finding.makers.join(', ') })
  return t(needsCode ? 'rules.finding.nobodyCode' : 'rules.finding.nobody', values)
}

function operatorNames(t: Translate, locale: Locale, operators: readonly OperatorCode[]): string {
  const names = operators.map((code) => `${OPERATORS[code].brand} ${t(`country.${OPERATORS[code].country.name}`)}`)
  return new Intl.ListFormat(locale).format(names)
}
