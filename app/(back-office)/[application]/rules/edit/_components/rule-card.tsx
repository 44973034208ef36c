import { useState } from 'react'
import { type FieldErrors, type UseFormReturn, useWatch } from 'react-hook-form'
import { Button } from '#components/ui/button.tsx'
import { Checkbox, Select, TextField } from '#components/ui/field.tsx'
import { useT, useTranslations } from '#components/ui/translations.tsx'
import { COUNTRY_NAMES, OPERATOR_CODES, OPERATORS } from '#lib/operators/operators.ts'
import { RULE_SOURCES, TRANSACTION_TYPES } from '#lib/payments/transactions/transaction-status.ts'
import { approvalRuleSchema, RULE_MEASURES } from '#lib/rules/approval-policy.ts'
import { type RuleField, type RuleFields, toRuleInput } from '#lib/rules/rule-form.ts'
import { ruleSentence } from '#lib/rules/rule-sentence.ts'
import { LimitFields } from './limit-fields.tsx'
import type { RuleForm } from './use-rule-form.ts'

/** The fields that are one text. */
type SingleField = 'name' | 'measure' | 'first' | 'second' | 'expiresInHours'

const COUNTS = ['1', '2', '3', '4', '5']

type Props = {
  form: UseFormReturn<RuleForm>
  index: number
  onRemove: () => void
}

/** One rule: its sentence as it is typed, its conditions and what it requires. */
export function RuleCard({ form, index, onRemove }: Props) {
  const { t, locale } = useTranslations()
  const rule = useWatch({ control: form.control, name: `rules.${index}` })
  // A rule that exists is its sentence, so that all of them fit on a screen; a new one is open, and what is wrong is never hidden.
  const [isOpen, setIsOpen] = useState(rule.name === '')
  const errors = form.formState.errors.rules?.[index]
  const id = (field: RuleField) => `rule-${index}-${field}`
  const field = (name: SingleField) => ({
    id: id(name),
    ...form.register(`rules.${index}.${name}`),
    error: errors?.[name]?.message,
  })
  const parsed = approvalRuleSchema.safeParse({ ...toRuleInput(rule, locale), name: rule.name.trim() || '–' })
  const number = index + 1
  return (
    <section aria-labelledby={`rule-${index}`} className="grid gap-4 rounded-lg border border-line bg-surface p-4">
      <div className="flex flex-wrap items-center gap-2">
        <h2 id={`rule-${index}`}>{t('rules.editor.rule', { number })}</h2>
        <span className="mr-auto text-quiet wrap-anywhere">{rule.name}</span>
        <Button size="small" variant="danger" aria-label={t('rules.editor.removeOf', { number })} onClick={onRemove}>
          {t('rules.editor.remove')}
        </Button>
      </div>
      <output className="rounded-md bg-sunken px-3 py-2 wrap-anywhere">
        {parsed.success ? ruleSentence(t, locale, parsed.data) : <span className="text-quiet">{t('rules.editor.incomplete')}</span>}
      </output>
      <details open={isOpen || errors !== undefined} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
        <summary className="cursor-pointer text-ink-2">
          {t('rules.editor.change')}
          <span className="sr-only"> {t('rules.editor.rule', { number })}</span>
        </summary>
        <div className="mt-4 grid gap-4">
          <TextField label={t('rules.field.name')} hint={t('rules.field.nameHint')} maxLength={120} {...field('name')} />
          <RuleChoices form={form} index={index} errors={errors} />
          <div className="grid items-start gap-4 sm:grid-cols-2">
            <Select
              label={t('rules.field.measure')}
              hint={rule.measure === 'any' ? t('rules.measureHint') : undefined}
              {...field('measure')}
            >
              {RULE_MEASURES.map((measure) => (
                <option key={measure} value={measure}>
                  {t(`rules.measure.${measure}`)}
                </option>
              ))}
            </Select>
          </div>
          <LimitFields form={form} index={index} rule={rule} errors={errors?.limits} />
          <Checkbox label={t('rules.field.firstTimeOnly')} {...form.register(`rules.${index}.firstTimeOnly`)} />
          <div className="grid items-start gap-4 sm:grid-cols-3">
            <Select label={t('rules.field.first')} {...field('first')}>
              {COUNTS.map((each) => (
                <option key={each}>{each}</option>
              ))}
            </Select>
            <Select label={t('rules.field.second')} {...field('second')}>
              <option value="">{t('rules.field.noSecond')}</option>
              {COUNTS.map((each) => (
                <option key={each}>{each}</option>
              ))}
            </Select>
            <TextField label={t('rules.field.expiresInHours')} inputMode="numeric" {...field('expiresInHours')} />
          </div>
          <div className="flex flex-wrap gap-x-6 gap-y-2">
            <Checkbox label={t('rules.field.needsCode')} {...form.register(`rules.${index}.needsCode`)} />
            <Checkbox label={t('rules.field.apiMayDecide')} {...form.register(`rules.${index}.apiMayDecide`)} />
          </div>
        </div>
      </details>
    </section>
  )
}

type Group = 'types' | 'sources' | 'countries' | 'operators'
type RuleChoicesProps = { form: UseFormReturn<RuleForm>; index: number; errors: FieldErrors<RuleFields> | undefined }

/** The scope of a rule: kinds, sources and, if it is limited, countries and operators. */
function RuleChoices({ form, index, errors }: RuleChoicesProps) {
  const t = useT()
  const group = (name: Group, choices: readonly (readonly [value: string, label: string])[]) => (
    <ChoiceGroup form={form} index={index} name={name} choices={choices} error={errors?.[name]?.message} />
  )
  const countries = COUNTRY_NAMES.map((name) => [name, t(`country.${name}`)] as const)
  const operators = OPERATOR_CODES.map(
    (code) => [code, `${OPERATORS[code].brand} ${t(`country.${OPERATORS[code].country.name}`)}`] as const,
  )
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        {group(
          'types',
          TRANSACTION_TYPES.map((type) => [type, t(`type.${type}`)]),
        )}
        {group(
          'sources',
          RULE_SOURCES.map((source) => [source, t(`source.${source}`)]),
        )}
      </div>
      <details>
        <summary className="cursor-pointer text-ink-2">{t('rules.field.places')}</summary>
        <div className="mt-2 grid gap-4">
          {group('countries', countries)}
          {group('operators', operators)}
        </div>
      </details>
    </>
  )
}

type ChoiceProps = Omit<RuleChoicesProps, 'errors'> & {
  name: Group
  choices: readonly (readonly [value: string, label: string])[]
  error: string | undefined
}

function ChoiceGroup({ form, index, name, choices, error }: ChoiceProps) {
  const t = useT()
  const errorId = `rule-${index}-${name}-error`
  return (
    <fieldset aria-describedby={error ? errorId : undefined} className="min-w-0">
      <legend className="mb-1 font-medium">{t(`rules.field.${name}`)}</legend>
      <div className="flex flex-wrap gap-x-4 gap-y-1.5">
        {choices.map(([value, label]) => (
          <Checkbox key={value} value={value} label={label} {...form.register(`rules.${index}.${name}`)} />
        ))}
      </div>
      {error && (
        <p id={errorId} className="mt-1 text-second text-bad">
          {error}
        </p>
      )}
    </fieldset>
  )
}
