import { ErrorNotice } from '#components/form/error-notice.tsx'
import { ScriptForm } from '#components/form/script-form.tsx'
import '#components/form/zod-without-eval.ts'
import { useEffect, useState } from 'react'
import { type UseFormReturn, useFieldArray } from 'react-hook-form'
import { z } from 'zod'
import { useAction } from '#components/form/use-action.tsx'
import { Button } from '#components/ui/button.tsx'
import { Notice } from '#components/ui/display/empty-state.tsx'
import { toast } from '#components/ui/overlay/toast.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import { useRouter } from '#components/ui/use-router.ts'
import { CURRENCIES } from '#lib/money/money.ts'
import { COUNTRY_NAMES, OPERATOR_CODES } from '#lib/operators/operators.ts'
import { paths } from '#lib/pages/paths.ts'
import { RULE_SOURCES, TRANSACTION_TYPES } from '#lib/payments/transactions/transaction-status.ts'
import { RULE_MEASURES, RULES_MAX } from '#lib/rules/approval-policy.ts'
import { NEW_RULE, type RuleFields, toRuleInput } from '#lib/rules/rule-form.ts'
import { saveRules } from '../../actions.ts'
import { RuleCard } from './rule-card.tsx'
import { type RuleForm, useRuleForm } from './use-rule-form.ts'

const REFUSALS = { unknown_application: 'action.not_found', invalid_rules: 'rules.wrong.invalid' } as const

/** `keptAs`: under which name this tab keeps what is typed. */
type Props = { application: string; initial: RuleFields[]; keptAs: string }

/** All rules of a version, a card each. A default export, because its code is loaded after the page's. */
export default function RuleEditor({ application, initial, keptAs }: Props) {
  const { t, locale } = useTranslations()
  const router = useRouter()
  const form = useRuleForm(initial)
  const { fields, append, remove } = useFieldArray({ control: form.control, name: 'rules' })
  const { isKept, forget, discard } = useKeptRules(form, keptAs)

  const { run, isPending, error } = useAction(
    (rules: RuleFields[]) => saveRules(application, { rules: rules.map((rule) => toRuleInput(rule, locale)) }),
    {
      words: REFUSALS,
      onDone({ version }) {
        forget()
        toast(t('rules.editor.saved', { version }))
        router.push(paths.ruleVersion(application, version))
      },
    },
  )

  function cancel() {
    forget()
    router.push(paths.rules(application))
  }

  const whole = form.formState.errors.rules?.root?.message
  return (
    <ScriptForm
      noValidate
      onSubmit={(event) => void form.handleSubmit(({ rules }) => run(rules))(event)}
      className="mt-5 grid max-w-3xl gap-4"
    >
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
      {error && <ErrorNotice error={error} />}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" variant="primary" isBusy={isPending}>
          {t('rules.editor.save')}
        </Button>
        <Button onClick={cancel}>{t('rules.editor.cancel')}</Button>
      </div>
      <p className="text-second text-quiet">{t('rules.editor.afterwards')}</p>
    </ScriptForm>
  )
}

/** The draft kept in the tab, as typed. It may be invalid, but the form must be able to show it. */
const keptSchema = z.object({
  rules: z
    .array(
      z.object({
        name: z.string(),
        types: z.array(z.enum(TRANSACTION_TYPES)),
        sources: z.array(z.enum(RULE_SOURCES)),
        countries: z.array(z.enum(COUNTRY_NAMES)),
        operators: z.array(z.enum(OPERATOR_CODES)),
        measure: z.enum(RULE_MEASURES),
        limits: z.partialRecord(z.enum(CURRENCIES), z.string().nullable()),
        firstTimeOnly: z.boolean(),
        first: z.string(),
        second: z.string(),
        needsCode: z.boolean(),
        apiMayDecide: z.boolean(),
        expiresInHours: z.string(),
      }),
    )
    .max(RULES_MAX),
})

/**
 * Keeps what was typed in this tab over a reload, until it is saved or discarded. It is only a copy of unsaved work: what takes effect is
 * what two administrators save and confirm.
 */
function useKeptRules(form: UseFormReturn<RuleForm>, storageKey: string) {
  const [isKept, setIsKept] = useState(false)
  useEffect(() => {
    const kept = readKept(storageKey)
    setIsKept(kept !== undefined)
    if (kept) form.reset(kept, { keepDefaultValues: true })
    const { unsubscribe } = form.watch((values) => sessionStorage.setItem(storageKey, JSON.stringify(values)))
    return unsubscribe
  }, [form, storageKey])
  function forget() {
    sessionStorage.removeItem(storageKey)
    setIsKept(false)
  }
  return {
    /** Whether the form shows what was typed before the page was loaded. */
    isKept,
    forget,
    discard() {
      form.reset()
      forget()
    },
  }
}

function readKept(storageKey: string): RuleForm | undefined {
  const text = sessionStorage.getItem(storageKey)
  if (text === null) return undefined
  const kept = keptSchema.safeParse(JSON.parse(text))
  return kept.success ? kept.data : undefined
}
