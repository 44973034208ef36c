'use client'

import '#components/form/zod-without-eval.ts'

import { useEffect, useState } from 'react'
import { useFieldArray } from 'react-hook-form'
import { ErrorNotice } from '#components/form/error-notice.tsx'
import { Button, ButtonLink } from '#components/ui/button.tsx'
import { toast } from '#components/ui/toast.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import { useRouter } from '#components/ui/use-router.ts'
import { callAction, refusalText } from '#lib/action-result.ts'
import { RULES_MAX } from '#lib/approval-policy.ts'
import { paths } from '#lib/paths.ts'
import { findingText } from '#lib/rule-finding-text.ts'
import { NEW_RULE, type RuleFields, toRuleInput } from '#lib/rule-form.ts'
import { saveRules } from '../../actions.ts'
import { RuleCard } from './rule-card.tsx'
import { useRuleForm } from './use-rule-form.ts'

const REFUSALS = {
  not_permitted: 'action.forbidden',
  unknown_application: 'action.not_found',
  invalid_rules: 'rules.wrong.invalid',
  offline: 'action.offline',
} as const

type Props = { application: string; initial: RuleFields[] }

/** All rules of a version, a card each. A default export, because its code is loaded after the page's. */
export default function RuleEditor({ application, initial }: Props) {
  const { t, locale } = useTranslations()
  const router = useRouter()
  const form = useRuleForm(initial)
  const { fields, append, remove, move } = useFieldArray({ control: form.control, name: 'rules' })
  const [problems, setProblems] = useState<string[]>([])
  const isReady = useIsReady()

  async function save({ rules }: { rules: RuleFields[] }) {
    setProblems([])
    const saved = await callAction(() => saveRules(application, { rules: rules.map((rule) => toRuleInput(rule, locale)) }))
    if (!saved.ok) return setProblems([refusalText(t, saved.error.code, REFUSALS)])
    if ('findings' in saved.value) return setProblems(saved.value.findings.map((finding) => findingText(t, finding)))
    toast(t('rules.editor.saved', { version: saved.value.version }))
    router.push(paths.ruleVersion(application, saved.value.version))
  }

  const whole = form.formState.errors.rules?.root?.message
  return (
    <form noValidate onSubmit={(event) => void form.handleSubmit(save)(event)} className="mt-5 grid max-w-3xl gap-4">
      {/* Until the script is there, what somebody types would be lost. */}
      <fieldset disabled={!isReady} className="grid min-w-0 gap-4">
        {fields.length === 0 && <p>{t('rules.none')}</p>}
        {fields.map((field, index) => (
          <RuleCard
            key={field.id}
            form={form}
            index={index}
            count={fields.length}
            onMove={(to) => move(index, to)}
            onRemove={() => remove(index)}
          />
        ))}
        {fields.length < RULES_MAX && (
          <Button className="justify-self-start" onClick={() => append(NEW_RULE)}>
            {t('rules.editor.add')}
          </Button>
        )}
        {whole && <ErrorNotice error={whole} />}
        {problems.map((problem) => (
          <ErrorNotice key={problem} error={problem} />
        ))}
        <div className="flex flex-wrap gap-2">
          <Button type="submit" variant="primary" isBusy={form.formState.isSubmitting}>
            {t('rules.editor.save')}
          </Button>
          <ButtonLink href={paths.rules(application)}>{t('rules.editor.cancel')}</ButtonLink>
        </div>
        <p className="text-second text-quiet">{t('rules.editor.afterwards')}</p>
      </fieldset>
    </form>
  )
}

/** False while the server's markup has no script yet. */
function useIsReady(): boolean {
  const [isReady, setIsReady] = useState(false)
  useEffect(() => setIsReady(true), [])
  return isReady
}
