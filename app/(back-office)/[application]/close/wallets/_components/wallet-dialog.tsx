import { useState } from 'react'
import { Select, TextField } from '#components/ui/field.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import type { MessageKey, Translate } from '#lib/i18n/translate.ts'
import { parseMinor } from '#lib/money/money.ts'
import { walletText } from '#lib/reconciliation/wallet-words.ts'
import { FEE_FORMS, FEE_ROUNDINGS, type FeeForm, type FeeRounding } from '#lib/reconciliation/wallets.ts'
import { isUtcDay } from '#lib/time/time.ts'
import { ProposalDialog } from '../../../_components/changes/proposal-dialog.tsx'
import { useProposal } from '../../../_components/changes/use-proposal.ts'

/** Amounts are decimals; `cutoff`: hours and minutes. */
type Settings = {
  number: string | null
  zone: string
  cutoff: string
  feePpm: number | null
  feeFixed: string | null
  feeTaxPpm: number
  feeRounding: FeeRounding
  feeForm: FeeForm
  openingDay: string | null
  opening: string | null
}
type Props = { application: string; wallet: string; currency: string; settings: Settings; isFixed: boolean; onClose: () => void }
type Field = 'number' | 'cutoff' | 'feeRate' | 'feeFixed' | 'feeTax' | 'openingDay' | 'opening'

const DECIMAL = /^-?\d{1,12}(\.\d{1,2})?$/

type Problems = Partial<Record<Field, MessageKey>>

/** Returns the form's values as the proposal has them, or which field is wrong and why. */
function readForm(form: FormData, settings: Settings): { problems: Problems; input: Record<string, string | number | null> } {
  const textOf = (name: string) => String(form.get(name) ?? '').trim()
  const plain = (name: string) =>
    textOf(name)
      .replace(/[\s\u00a0\u202f]/g, '')
      .replace(',', '.')
  const [number, rate, fixed, tax] = [textOf('number').replace(/\D/g, ''), plain('feeRate'), plain('feeFixed'), plain('feeTax')]
  const [day, opening] = [textOf('openingDay'), plain('opening')]
  const [, hours = '', minutes = ''] = /^(\d{1,2}):(\d{2})$/.exec(textOf('cutoff') || settings.cutoff) ?? []
  const isClock = hours !== '' && Number(hours) < 24 && Number(minutes) < 60
  const problems: Problems = {
    ...(textOf('number') !== '' && (number.length < 4 || number.length > 15) && { number: 'close.wrong.number' }),
    ...(!isClock && { cutoff: 'close.wrong.clock' }),
    ...(!isPercent(rate) && { feeRate: 'close.wrong.rate' }),
    ...(!isPercent(tax) && { feeTax: 'close.wrong.rate' }),
    ...(fixed !== '' && !/^\d{1,9}(\.\d{1,2})?$/.test(fixed) && { feeFixed: 'close.wrong.amount' }),
    ...(day !== '' && !isUtcDay(day) && { openingDay: 'close.wrong.day' }),
    ...(opening !== '' && !DECIMAL.test(opening) && { opening: 'close.wrong.amount' }),
    ...((day === '') !== (opening === '') && { opening: 'close.wrong.opening' }),
  }
  if (Object.keys(problems).length > 0) return { problems, input: {} }
  const hasFee = rate !== '' || fixed !== ''
  const input = {
    number: number || null,
    zone: textOf('zone') || settings.zone,
    cutoffMinute: Number(hours) * 60 + Number(minutes),
    feePpm: hasFee ? Math.round(Number(rate || '0') * 10_000) : null,
    feeFixedMinor: hasFee ? String(parseMinor(fixed || '0')) : null,
    feeTaxPpm: Math.round(Number(tax || '0') * 10_000),
    feeRounding: textOf('feeRounding'),
    feeForm: textOf('feeForm'),
    openingDay: day || null,
    openingMinor: day === '' ? null : String(parseMinor(opening)),
  }
  return { problems, input }
}

/** Nothing, or a number from 0 to 100. */
function isPercent(text: string): boolean {
  return text === '' || (Number(text) >= 0 && Number(text) <= 100)
}

/** Proposes the settings of a wallet. `isFixed`: lines are imported, so its zone and its cut-off stay. */
export function WalletDialog({ application, wallet, currency, settings, isFixed, onClose }: Props) {
  const { t } = useTranslations()
  const proposal = useProposal(application, onClose)
  const [wrong, setWrong] = useState<Problems>({})
  function submit(form: FormData) {
    const { problems, input } = readForm(form, settings)
    setWrong(problems)
    if (Object.keys(problems).length === 0) proposal.propose('wallet.set', { wallet, ...input })
  }
  const errorOf = (field: Field) => wrong[field] && t(wrong[field])
  return (
    <ProposalDialog title={walletText(t, wallet)} proposal={proposal} onSubmit={submit} onClose={onClose}>
      <TextField
        id="wallet-number"
        name="number"
        label={t('close.number')}
        hint={t('close.numberHint')}
        error={errorOf('number')}
        defaultValue={settings.number ?? ''}
        inputMode="numeric"
        maxLength={20}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField id="wallet-zone" name="zone" label={t('close.zone')} defaultValue={settings.zone} disabled={isFixed} maxLength={60} />
        <TextField
          id="wallet-cutoff"
          name="cutoff"
          label={t('close.cutoff')}
          error={errorOf('cutoff')}
          defaultValue={settings.cutoff}
          disabled={isFixed}
          maxLength={5}
        />
      </div>
      {isFixed && <p className="text-second text-quiet">{t('close.fixedDay')}</p>}
      <FeeFields t={t} currency={currency} settings={settings} errorOf={errorOf} />
      <MoneyFields t={t} currency={currency} settings={settings} errorOf={errorOf} />
    </ProposalDialog>
  )
}

type MoneyProps = { t: Translate; currency: string; settings: Settings; errorOf: (field: Field) => string | undefined }

/** The fee the operator may charge for a payment. */
function FeeFields({ t, currency, settings, errorOf }: MoneyProps) {
  const rate = settings.feePpm === null ? '' : String(settings.feePpm / 10_000)
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <TextField
        id="wallet-rate"
        name="feeRate"
        label={t('close.feeRate')}
        error={errorOf('feeRate')}
        defaultValue={rate}
        inputMode="decimal"
        maxLength={8}
      />
      <TextField
        id="wallet-fixed"
        name="feeFixed"
        label={t('close.feeFixed', { currency })}
        error={errorOf('feeFixed')}
        defaultValue={settings.feeFixed ?? ''}
        inputMode="decimal"
        maxLength={14}
      />
      <TextField
        id="wallet-tax"
        name="feeTax"
        label={t('close.feeTax')}
        error={errorOf('feeTax')}
        defaultValue={settings.feeTaxPpm === 0 ? '' : String(settings.feeTaxPpm / 10_000)}
        inputMode="decimal"
        maxLength={8}
      />
      <Select id="wallet-rounding" name="feeRounding" label={t('close.feeRounding')} defaultValue={settings.feeRounding}>
        {FEE_ROUNDINGS.map((rounding) => (
          <option key={rounding} value={rounding}>
            {t(`fees.rounding.${rounding}`)}
          </option>
        ))}
      </Select>
      <div className="sm:col-span-2">
        <Select id="wallet-form" name="feeForm" label={t('close.feeForm')} defaultValue={settings.feeForm}>
          {FEE_FORMS.map((form) => (
            <option key={form} value={form}>
              {t(`fees.form.${form}`)}
            </option>
          ))}
        </Select>
      </div>
    </div>
  )
}

/** The balance from which all others follow. */
function MoneyFields({ t, currency, settings, errorOf }: MoneyProps) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <TextField
        id="wallet-day"
        name="openingDay"
        type="date"
        label={t('close.openingDay')}
        error={errorOf('openingDay')}
        defaultValue={settings.openingDay ?? ''}
      />
      <TextField
        id="wallet-opening"
        name="opening"
        label={t('close.openingIn', { currency })}
        error={errorOf('opening')}
        defaultValue={settings.opening ?? ''}
        inputMode="decimal"
        maxLength={20}
      />
    </div>
  )
}
