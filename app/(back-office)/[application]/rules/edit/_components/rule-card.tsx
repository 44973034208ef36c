'use client'

import { useState } from 'react'
import { type UseFormReturn, useWatch } from 'react-hook-form'
import { Button } from '#components/ui/button.tsx'
import { Checkbox, Select, TextField } from '#components/ui/field.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import { approvalRuleSchema, RULE_MEASURES } from '#lib/approval-policy.ts'
import { CURRENCIES } from '#lib/money.ts'
import { type RuleField, toRuleInput } from '#lib/rule-form.ts'
import { ruleSentence } from '#lib/rule-sentence.ts'
import { RuleChoices } from './rule-choices.tsx'
import type { RuleForm } from './use-rule-form.ts'

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
  const field = <Name extends RuleField>(name: Name) => ({
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
            <div className="grid grid-cols-[minmax(0,1fr)_minmax(6.5rem,auto)] items-start gap-2">
              <TextField
                label={t('rules.field.amount')}
                note={t('rules.field.amountNote')}
                inputMode="decimal"
                autoComplete="off"
                {...field('amount')}
              />
              <Select label={t('rules.field.currency')} {...field('currency')}>
                <option value="">{t('rules.field.anyCurrency')}</option>
                {CURRENCIES.map((currency) => (
                  <option key={currency}>{currency}</option>
                ))}
              </Select>
            </div>
          </div>
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
