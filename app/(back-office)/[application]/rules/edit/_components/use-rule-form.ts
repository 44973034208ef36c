import { type FieldErrors, get, type Resolver, set, useForm } from 'react-hook-form'
import { useTranslations } from '#components/ui/translations.tsx'
import type { Locale } from '#lib/i18n/locale.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { approvalRulesSchema } from '#lib/rules/approval-policy.ts'
import { type RuleFields, ruleProblem, toRuleInput } from '#lib/rules/rule-form.ts'

export type RuleForm = { rules: RuleFields[] }

/** The form of a version of the rules, checked with the schema of the command that stores it. */
export function useRuleForm(initial: RuleFields[]) {
  const { t, locale } = useTranslations()
  return useForm<RuleForm>({ defaultValues: { rules: initial }, resolver: resolverOf(t, locale) })
}

function resolverOf(t: Translate, locale: Locale): Resolver<RuleForm> {
  return (values) => {
    const parsed = approvalRulesSchema.safeParse(values.rules.map((rule) => toRuleInput(rule, locale)))
    if (parsed.success) return { values, errors: {} }
    const rules: object[] = []
    let whole: string | undefined
    for (const { code, path } of parsed.error.issues) {
      const [index, ...inRule] = path
      const problem = ruleProblem({ code, path: inRule })
      if (typeof index !== 'number' || !problem) whole ??= t(hasTwins(values.rules) ? 'rules.wrong.twins' : 'rules.wrong.tooMany')
      else {
        const own = rules[index] ?? {}
        rules[index] = own
        if (get(own, problem.field) === undefined) set(own, problem.field, { type: 'schema', message: t(problem.message) })
      }
    }
    const errors = { rules: Object.assign(rules, whole === undefined ? {} : { root: { type: 'schema', message: whole } }) }
    // The shape of a field array's errors: one entry for each row, and one for the whole.
    return { values: {}, errors: errors as FieldErrors<RuleForm> }
  }
}

function hasTwins(rules: readonly RuleFields[]): boolean {
  return new Set(rules.map(({ name }) => name.trim())).size < rules.length
}
