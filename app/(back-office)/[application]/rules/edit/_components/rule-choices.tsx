'use client'

import type { FieldErrors, UseFormReturn } from 'react-hook-form'
import { Checkbox } from '#components/ui/field.tsx'
import { useT } from '#components/ui/translations.tsx'
import { COUNTRY_NAMES, OPERATOR_CODES, OPERATORS } from '#lib/operators.ts'
import type { RuleFields } from '#lib/rule-form.ts'
import { TRANSACTION_SOURCES, TRANSACTION_TYPES } from '#lib/transaction-status.ts'
import type { RuleForm } from './use-rule-form.ts'

type Group = 'types' | 'sources' | 'countries' | 'operators'
type Props = { form: UseFormReturn<RuleForm>; index: number; errors: FieldErrors<RuleFields> | undefined }

/** What a rule is about: kinds, sources, and where it is not everywhere, countries and operators. */
export function RuleChoices({ form, index, errors }: Props) {
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
          TRANSACTION_SOURCES.map((source) => [source, t(`source.${source}`)]),
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

type ChoiceProps = Omit<Props, 'errors'> & {
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
