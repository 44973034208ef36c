'use client'

import { type FormEvent, useState } from 'react'
import { FormDialog } from '#components/form/form-dialog.tsx'
import { Checkbox, TextField } from '#components/ui/field.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import { formatAmount } from '#lib/format.ts'
import type { MessageKey } from '#lib/i18n/translate.ts'
import { formatMinor, parseMinor, parseTypedAmount } from '#lib/money.ts'
import { OPERATORS } from '#lib/operators.ts'
import type { ServiceTerms } from '#lib/terms.ts'
import { useProposal } from '../../_components/changes/use-proposal.ts'

type Props = { application: string; service: ServiceTerms; name: string; onClose: () => void }
type Problems = Partial<Record<'minimum' | 'maximum', MessageKey>>

/** Proposes whether a service is on and which amounts it takes. A default export, because it is loaded on demand. */
export default function LimitsDialog({ application, service, name, onClose }: Props) {
  const { t, locale } = useTranslations()
  const { propose, error, isPending } = useProposal(application, onClose)
  const [problems, setProblems] = useState<Problems>({})
  const { operator, type } = service
  const { limits, country } = OPERATORS[operator]
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const read = (field: string) => readLimit(String(form.get(field) ?? ''), (typed) => parseTypedAmount(typed, locale))
    const [minimum, maximum] = [read('minimum'), read('maximum')]
    const found: Problems = {
      ...(minimum === undefined && { minimum: 'terms.limitWrong' }),
      ...(maximum === undefined && { maximum: 'terms.limitWrong' }),
      ...(minimum && maximum && BigInt(minimum) > BigInt(maximum) && { maximum: 'terms.limitsCross' }),
    }
    setProblems(found)
    if (Object.keys(found).length > 0) return
    propose('service.set', {
      operator,
      type,
      isEnabled: form.get('isEnabled') === 'on',
      enforcesLimits: form.get('enforcesLimits') === 'on',
      minimumMinor: minimum ?? null,
      maximumMinor: maximum ?? null,
    })
  }
  const hint = (minor: bigint) => t('terms.limitHint', { amount: formatAmount(formatMinor(minor), locale) })
  const shown = (minor: string | null) => (minor === null ? '' : formatAmount(formatMinor(BigInt(minor)), locale))
  const field = { inputMode: 'decimal', autoComplete: 'off', maxLength: 20 } as const
  return (
    <FormDialog
      title={t('terms.changeLimitsOf', { service: name })}
      submitLabel={t('change.propose')}
      isPending={isPending}
      error={error}
      onSubmit={submit}
      onClose={onClose}
    >
      <Switch service={service} />
      <TextField
        {...field}
        id="limit-minimum"
        name="minimum"
        label={t('terms.minimum', { currency: country.currency })}
        hint={hint(limits[type].minimumMinor)}
        defaultValue={shown(service.minimumMinor)}
        error={problems.minimum && t(problems.minimum)}
      />
      <TextField
        {...field}
        id="limit-maximum"
        name="maximum"
        label={t('terms.maximum', { currency: country.currency })}
        hint={hint(limits[type].maximumMinor)}
        defaultValue={shown(service.maximumMinor)}
        error={problems.maximum && t(problems.maximum)}
      />
      <div>
        <Checkbox name="enforcesLimits" defaultChecked={service.enforcesLimits} label={t('terms.enforces')} />
        <p className="text-second text-quiet">{t('terms.enforcesHint')}</p>
      </div>
      <p className="text-second text-quiet">{t('change.afterwards')}</p>
    </FormDialog>
  )
}

function Switch({ service }: { service: ServiceTerms }) {
  const { t } = useTranslations()
  return (
    <Checkbox
      name="isEnabled"
      defaultChecked={service.isEnabled}
      disabled={!service.isInCountries}
      label={
        <>
          {t('terms.isEnabled')}
          {!service.isInCountries && <span className="ml-1.5 text-second text-quiet">{t('terms.outside')}</span>}
        </>
      }
    />
  )
}

/** Hundredths as text, null for none, undefined for what is no amount. */
function readLimit(typed: string, parse: (typed: string) => string | undefined): string | null | undefined {
  if (typed.trim() === '') return null
  const amount = parse(typed)
  return amount !== undefined && /[1-9]/.test(amount) ? String(parseMinor(amount)) : undefined
}
