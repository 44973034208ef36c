import { useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { Checkbox, TextField } from '#components/ui/field.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import type { MessageKey } from '#lib/i18n/translate.ts'
import { parsePercent, type ServiceTerms, writePercent } from '#lib/money/fees.ts'
import { formatMinor, parseMinor, parseTypedAmount } from '#lib/money/money.ts'
import { OPERATORS } from '#lib/operators/operators.ts'
import { formatAmount } from '#lib/text/format.ts'
import { ProposalDialog } from '../../_components/changes/proposal-dialog.tsx'
import { useProposal } from '../../_components/changes/use-proposal.ts'
import { FeeEffect } from './fee-effect.tsx'

type Props = {
  application: string
  service: ServiceTerms
  /** Those that can have the same fees: every other one in the same currency. */
  others: readonly ServiceTerms[]
  name: string
  amountMinor: bigint | null
  onClose: () => void
}

/** Proposes other fees of the application in one or several directions, with their effect on the sample amount. */
export function FeesDialog({ application, service, others, name, amountMinor, onClose }: Props) {
  const { t, locale } = useTranslations()
  const proposal = useProposal(application, onClose)
  const [rate, setRate] = useState(writePercent(service.appRatePpm, locale))
  const [fixed, setFixed] = useState(formatAmount(formatMinor(BigInt(service.appFixedMinor)), locale))
  const [chosen, setChosen] = useState<readonly ServiceTerms[]>([])
  const ppm = parsePercent(rate)
  const serviceRatePpm = Math.max(...[service, ...chosen].map(({ systemRatePpm }) => systemRatePpm))
  const appRatePpm = ppm !== undefined && ppm + serviceRatePpm < 1_000_000 ? ppm : undefined
  const typedFixed = fixed.trim() === '' ? '0' : parseTypedAmount(fixed, locale)
  const appFixedMinor = typedFixed === undefined ? undefined : String(parseMinor(typedFixed))
  const { currency } = OPERATORS[service.operator].country
  function submit() {
    if (appRatePpm === undefined || appFixedMinor === undefined) return
    const directions = [service, ...chosen].map(({ operator, type }) => ({ operator, type }))
    proposal.propose('fees.set', { directions, appRatePpm, appFixedMinor })
  }
  return (
    <ProposalDialog title={t('terms.changeFeesOf', { service: name })} proposal={proposal} onSubmit={submit} onClose={onClose}>
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
      {others.length > 0 && <OtherServices others={others} chosen={chosen} currency={currency} onChange={setChosen} />}
      {amountMinor !== null && appRatePpm !== undefined && appFixedMinor !== undefined && (
        <Comparison service={service} next={{ ...service, appRatePpm, appFixedMinor }} amountMinor={amountMinor} />
      )}
    </ProposalDialog>
  )
}

type OtherServicesProps = {
  others: readonly ServiceTerms[]
  chosen: readonly ServiceTerms[]
  currency: string
  onChange: (chosen: readonly ServiceTerms[]) => void
}

/** Other services that get the same fees, in one proposal: a new tariff need not be proposed and confirmed for each of them. */
function OtherServices({ others, chosen, currency, onChange }: OtherServicesProps) {
  const { t } = useTranslations()
  const choose = (label: MessageKey, services: readonly ServiceTerms[]) => (
    <Button size="small" onClick={() => onChange(services)}>
      {t(label)}
    </Button>
  )
  const toggle = (service: ServiceTerms, isChosen: boolean) =>
    onChange(isChosen ? [...chosen, service] : chosen.filter((each) => each !== service))
  return (
    <details>
      <summary className="cursor-pointer text-ink-2">{t('terms.sameFees', { currency, count: chosen.length })}</summary>
      <fieldset className="mt-2">
        <legend className="sr-only">{t('terms.sameFees', { currency, count: chosen.length })}</legend>
        <div className="flex flex-wrap gap-2">
          {choose(
            'terms.allCollects',
            others.filter(({ type }) => type === 'COLLECT'),
          )}
          {choose(
            'terms.allDeposits',
            others.filter(({ type }) => type === 'DEPOSIT'),
          )}
          {choose('terms.noOthers', [])}
        </div>
        <div className="mt-2 grid gap-1.5 sm:grid-cols-2">
          {others.map((service) => {
            const { brand, country } = OPERATORS[service.operator]
            return (
              <Checkbox
                key={`${service.operator} ${service.type}`}
                checked={chosen.includes(service)}
                onChange={({ target }) => toggle(service, target.checked)}
                label={`${brand} ${t(`country.${country.name}`)} · ${t(`type.${service.type}`)}`}
              />
            )
          })}
        </div>
      </fieldset>
    </details>
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

type LimitsDialogProps = { application: string; service: ServiceTerms; name: string; onClose: () => void }
type Problems = Partial<Record<'minimum' | 'maximum', MessageKey>>

/** Proposes whether a service is on and which amounts it takes. */
export function LimitsDialog({ application, service, name, onClose }: LimitsDialogProps) {
  const { t, locale } = useTranslations()
  const proposal = useProposal(application, onClose)
  const [problems, setProblems] = useState<Problems>({})
  const { operator, type } = service
  const { country } = OPERATORS[operator]
  const { ofOperator } = service
  function submit(form: FormData) {
    const read = (field: string) => readLimit(String(form.get(field) ?? ''), (typed) => parseTypedAmount(typed, locale))
    const [minimum, maximum] = [read('minimum'), read('maximum')]
    const found: Problems = {
      ...(minimum === undefined && { minimum: 'terms.limitWrong' }),
      ...(maximum === undefined && { maximum: 'terms.limitWrong' }),
      ...(minimum && maximum && BigInt(minimum) > BigInt(maximum) && { maximum: 'terms.limitsCross' }),
    }
    setProblems(found)
    if (Object.keys(found).length > 0) return
    proposal.propose('service.set', {
      operator,
      type,
      isEnabled: form.get('isEnabled') === 'on',
      enforcesLimits: form.get('enforcesLimits') === 'on',
      minimumMinor: minimum ?? null,
      maximumMinor: maximum ?? null,
    })
  }
  const hint = (amount: string) => t('terms.limitHint', { amount: formatAmount(amount, locale) })
  const shown = (minor: string | null) => (minor === null ? '' : formatAmount(formatMinor(BigInt(minor)), locale))
  const field = { inputMode: 'decimal', autoComplete: 'off', maxLength: 20 } as const
  return (
    <ProposalDialog title={t('terms.changeLimitsOf', { service: name })} proposal={proposal} onSubmit={submit} onClose={onClose}>
      <Switch service={service} />
      <TextField
        {...field}
        id="limit-minimum"
        name="minimum"
        label={t('terms.minimum', { currency: country.currency })}
        hint={hint(ofOperator.minimum)}
        defaultValue={shown(service.minimumMinor)}
        error={problems.minimum && t(problems.minimum)}
      />
      <TextField
        {...field}
        id="limit-maximum"
        name="maximum"
        label={t('terms.maximum', { currency: country.currency })}
        hint={hint(ofOperator.maximum)}
        defaultValue={shown(service.maximumMinor)}
        error={problems.maximum && t(problems.maximum)}
      />
      <div>
        <Checkbox name="enforcesLimits" defaultChecked={service.enforcesLimits} label={t('terms.enforces')} />
        <p className="text-second text-quiet">{t('terms.enforcesHint')}</p>
      </div>
    </ProposalDialog>
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

/** Hundredths as text, null for none, undefined for text that is not an amount. */
function readLimit(typed: string, parse: (typed: string) => string | undefined): string | null | undefined {
  if (typed.trim() === '') return null
  const amount = parse(typed)
  return amount !== undefined && /[1-9]/.test(amount) ? String(parseMinor(amount)) : undefined
}
