'use client'

import '#components/form/zod-without-eval.ts'

import { useEffect, useState } from 'react'
import { useFieldArray } from 'react-hook-form'
import { ErrorNotice } from '#components/form/error-notice.tsx'
import { Button } from '#components/ui/button.tsx'
import { Notice } from '#components/ui/empty-state.tsx'
import { toast } from '#components/ui/toast.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import { useRouter } from '#components/ui/use-router.ts'
import { callAction, refusalText } from '#lib/action-result.ts'
import { RULES_MAX } from '#lib/approval-policy.ts'
import { paths } from '#lib/paths.ts'
import { findingKey, type RuleFinding } from '#lib/rule-finding.ts'
import { NEW_RULE, type RuleFields, toRuleInput } from '#lib/rule-form.ts'
import { AcceptFindings } from '../../_components/accept-findings.tsx'
import { saveRules } from '../../actions.ts'
import { RuleCard } from './rule-card.tsx'
import { useKeptRules } from './use-kept-rules.ts'
import { useRuleForm } from './use-rule-form.ts'

const REFUSALS = {
  not_permitted: 'action.forbidden',
  unknown_application: 'action.not_found',
  invalid_rules: 'rules.wrong.invalid',
  offline: 'action.offline',
} as const

/** `keptAs`: under which name this tab keeps what is typed. */
type Props = { application: string; initial: RuleFields[]; keptAs: string }

/** All rules of a version, a card each. A default export, because its code is loaded after the page's. */
export default function RuleEditor({ application, initial, keptAs }: Props) {
  const { t, locale } = useTranslations()
  const router = useRouter()
  const form = useRuleForm(initial)
  const { fields, append, remove } = useFieldArray({ control: form.control, name: 'rules' })
  const [problem, setProblem] = useState<string | null>(null)
  const [findings, setFindings] = useState<readonly RuleFinding[]>([])
  const [isAccepted, setIsAccepted] = useState(false)
  const isReady = useIsReady()
  const { isKept, forget, discard } = useKeptRules(form, keptAs)

  async function save({ rules }: { rules: RuleFields[] }) {
    setProblem(null)
    const shown = findings.map(findingKey)
    const accepted = isAccepted ? shown : []
    const saved = await callAction(() => saveRules(application, { rules: rules.map((rule) => toRuleInput(rule, locale)), accepted }))
    if (!saved.ok) return setProblem(refusalText(t, saved.error.code, REFUSALS))
    if ('findings' in saved.value) {
      // The same findings may have been accepted while the answer was under way.
      if (saved.value.findings.map(findingKey).join() !== shown.join()) setIsAccepted(false)
      return setFindings(saved.value.findings)
    }
    forget()
    toast(t('rules.editor.saved', { version: saved.value.version }))
    router.push(paths.ruleVersion(application, saved.value.version))
  }

  function cancel() {
    forget()
    router.push(paths.rules(application))
  }

  const whole = form.formState.errors.rules?.root?.message
  return (
    <form noValidate onSubmit={(event) => void form.handleSubmit(save)(event)} className="mt-5 grid max-w-3xl gap-4">
      {/* Until the script is there, what somebody types would be lost. */}
      <fieldset disabled={!isReady} className="grid min-w-0 gap-4">
        {isKept && (
          <Notice>
            {t('rules.editor.kept')}{' '}
            <button type="button" onClick={discard} className="underline">
              {t('rules.editor.discard')}
            </button>
          </Notice>
        )}
        {fields.length === 0 && <p>{t('rules.none')}</p>}
        {fields.map((field, index) => (
          <RuleCard key={field.id} form={form} index={index} onRemove={() => remove(index)} />
        ))}
        {fields.length < RULES_MAX && (
          <Button className="justify-self-start" onClick={() => append(NEW_RULE)}>
            {t('rules.editor.add')}
          </Button>
        )}
        {whole && <ErrorNotice error={whole} />}
        {problem && <ErrorNotice error={problem} />}
        <AcceptFindings findings={findings} isAccepted={isAccepted} onAccept={setIsAccepted} />
        <div className="flex flex-wrap gap-2">
          <Button type="submit" variant="primary" isBusy={form.formState.isSubmitting}>
            {t('rules.editor.save')}
          </Button>
          <Button onClick={cancel}>{t('rules.editor.cancel')}</Button>
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
