'use client'

import { type FormEvent, useState } from 'react'
import { FormDialog } from '#components/form/form-dialog.tsx'
import { TextField } from '#components/ui/field.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import { formatAmount } from '#lib/format.ts'
import { formatMinor, parseMinor, parseTypedAmount } from '#lib/money.ts'
import { OPERATORS } from '#lib/operators.ts'
import { parsePercent, writePercent } from '#lib/percent.ts'
import type { ServiceTerms } from '#lib/terms.ts'
import { useProposal } from '../../_components/changes/use-proposal.ts'
import { FeeEffect } from './fee-effect.tsx'

type Props = { application: string; service: ServiceTerms; name: string; amountMinor: bigint | null; onClose: () => void }

/** Proposes other fees of the application, with their effect on the sample amount. A default export, because it is loaded on demand. */
export default function FeesDialog({ application, service, name, amountMinor, onClose }: Props) {
  const { t, locale } = useTranslations()
  const { propose, error, isPending } = useProposal(application, onClose)
  const [rate, setRate] = useState(writePercent(service.appRatePpm, locale))
  const [fixed, setFixed] = useState(formatAmount(formatMinor(BigInt(service.appFixedMinor)), locale))
  const ppm = parsePercent(rate)
  const appRatePpm = ppm !== undefined && ppm + service.systemRatePpm < 1_000_000 ? ppm : undefined
  const typedFixed = fixed.trim() === '' ? '0' : parseTypedAmount(fixed, locale)
  const appFixedMinor = typedFixed === undefined ? undefined : String(parseMinor(typedFixed))
  const { currency } = OPERATORS[service.operator].country
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    if (appRatePpm === undefined || appFixedMinor === undefined) return
    propose('fees.set', { operator: service.operator, type: service.type, appRatePpm, appFixedMinor })
  }
  return (
    <FormDialog
      title={t('terms.changeFeesOf', { service: name })}
      submitLabel={t('change.propose')}
      isPending={isPending}
      error={error}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        id="fee-rate"
        name="rate"
        label={`${t('terms.ownFee')} – ${t('terms.rate')}`}
        value={rate}
        onChange={({ target }) => setRate(target.value)}
        error={appRatePpm === undefined ? t('terms.rateWrong') : undefined}
        inputMode="decimal"
        autoComplete="off"
        maxLength={10}
      />
      <TextField
        id="fee-fixed"
        name="fixed"
        label={`${t('terms.ownFee')} – ${t('terms.fixed', { currency })}`}
        value={fixed}
        onChange={({ target }) => setFixed(target.value)}
        error={appFixedMinor === undefined ? t('terms.fixedWrong') : undefined}
        inputMode="decimal"
        autoComplete="off"
        maxLength={20}
      />
      {amountMinor !== null && appRatePpm !== undefined && appFixedMinor !== undefined && (
        <Comparison service={service} next={{ ...service, appRatePpm, appFixedMinor }} amountMinor={amountMinor} />
      )}
      <p className="text-second text-quiet">{t('change.afterwards')}</p>
    </FormDialog>
  )
}

/** The effect on the sample amount under the present fees and under the proposed ones. */
function Comparison({ service, next, amountMinor }: { service: ServiceTerms; next: ServiceTerms; amountMinor: bigint }) {
  const { t, locale } = useTranslations()
  return (
    <section aria-label={t('terms.sample')} aria-live="polite">
      <p className="font-medium">{t('terms.effect', { amount: formatAmount(formatMinor(amountMinor), locale) })}</p>
      <dl className="mt-1 grid grid-cols-2 gap-3 tabular">
        <div>
          <dt className="text-second text-quiet">{t('terms.now')}</dt>
          <dd>
            <FeeEffect service={service} amountMinor={amountMinor} />
          </dd>
        </div>
        <div>
          <dt className="text-second text-quiet">{t('terms.then')}</dt>
          <dd>
            <FeeEffect service={next} amountMinor={amountMinor} />
          </dd>
        </div>
      </dl>
    </section>
  )
}
