import { useMemo, useState } from 'react'
import { Checkbox, Select, TextField } from '#components/ui/field.tsx'
import { useNow, useT } from '#components/ui/translations.tsx'
import { UNDO_SECONDS_MAX } from '#lib/approvals/intended.ts'
import type { MessageKey } from '#lib/i18n/translate.ts'
import { FLOAT_WAIT_HOURS_MAX, REFUND_FEES_FROM, type SettingsTerms } from '#lib/money/fees.ts'
import { ACCOUNT_CHECKS_MAX } from '#lib/operators/account-check.ts'
import { COUNTRY_NAMES } from '#lib/operators/operators.ts'
import { isShownWebhookUrl, WEBHOOK_URL_LENGTH_MAX } from '#lib/text/web-address.ts'
import { listTimeZones } from '#lib/time/time-zones.ts'
import { ProposalDialog } from '../../_components/changes/proposal-dialog.tsx'
import { useProposal } from '../../_components/changes/use-proposal.ts'

type Props = { application: string; settings: SettingsTerms; onClose: () => void }
type Problems = Partial<Record<'name' | 'countries' | 'webhookUrl' | 'floatWaitHours' | 'undoSeconds' | 'accountChecksMax', MessageKey>>

/** Proposes other settings. */
export function SettingsDialog({ application, settings, onClose }: Props) {
  const t = useT()
  const proposal = useProposal(application, onClose)
  const [problems, setProblems] = useState<Problems>({})
  function submit(form: FormData) {
    const name = String(form.get('name') ?? '').trim()
    const address = String(form.get('webhookUrl') ?? '').trim()
    const floatWaitHours = Number(form.get('floatWaitHours'))
    const isWaitWrong = !Number.isInteger(floatWaitHours) || floatWaitHours < 1 || floatWaitHours > FLOAT_WAIT_HOURS_MAX
    const undoSeconds = Number(form.get('undoSeconds') || Number.NaN)
    const isUndoWrong = !Number.isInteger(undoSeconds) || undoSeconds < 0 || undoSeconds > UNDO_SECONDS_MAX
    const accountChecksMax = Number(form.get('accountChecksMax') || Number.NaN)
    const isCheckMaxWrong = !Number.isInteger(accountChecksMax) || accountChecksMax < 0 || accountChecksMax > ACCOUNT_CHECKS_MAX
    const countries = COUNTRY_NAMES.filter((country) => form.get(country) === 'on')
    const found: Problems = {
      ...(name === '' && { name: 'terms.nameMissing' }),
      ...(countries.length === 0 && { countries: 'terms.countryMissing' }),
      ...(isWaitWrong && { floatWaitHours: 'terms.floatWaitHoursWrong' }),
      ...(isUndoWrong && { undoSeconds: 'terms.undoSecondsWrong' }),
      ...(isCheckMaxWrong && { accountChecksMax: 'terms.accountChecksMaxWrong' }),
      ...(address !== '' && !isShownWebhookUrl(address) && { webhookUrl: 'terms.webhookUrlWrong' }),
    }
    setProblems(found)
    if (Object.keys(found).length > 0) return
    proposal.propose('application.set', {
      name,
      countries,
      defaultWebhookUrl: address === '' ? null : address,
      requiresSecondFactor: form.get('secondFactor') === 'on',
      copiesWebhookStatus: form.get('statusCopy') === 'on',
      floatWaitHours,
      undoSeconds,
      accountChecksMax,
      allowsPaymentLinks: form.get('paymentLinks') === 'on',
      refundFeesFrom: String(form.get('refundFeesFrom')),
      allowsCombinedRoles: form.get('combinedRoles') === 'on',
    })
  }
  return (
    <ProposalDialog title={t('terms.change')} proposal={proposal} onSubmit={submit} onClose={onClose}>
      <TextField
        id="terms-name"
        name="name"
        label={t('terms.name')}
        defaultValue={settings.name}
        error={problems.name && t(problems.name)}
        maxLength={200}
      />
      <CountryFields settings={settings} problem={problems.countries} />
      <TextField
        id="terms-webhook"
        name="webhookUrl"
        label={t('terms.webhookUrl')}
        defaultValue={settings.defaultWebhookUrl ?? ''}
        hint={t('terms.webhookUrlHint')}
        error={problems.webhookUrl && t(problems.webhookUrl)}
        inputMode="url"
        maxLength={WEBHOOK_URL_LENGTH_MAX}
      />
      <NumberFields settings={settings} problems={problems} />
      <RefundFees settings={settings} />
      <Switches settings={settings} />
    </ProposalDialog>
  )
}

function RefundFees({ settings }: { settings: SettingsTerms }) {
  const t = useT()
  return (
    <Select
      id="terms-refund-fees"
      name="refundFeesFrom"
      label={t('terms.refundFeesFrom')}
      hint={t('terms.refundFeesFromHint')}
      defaultValue={settings.refundFeesFrom}
    >
      {REFUND_FEES_FROM.map((payer) => (
        <option key={payer} value={payer}>
          {t(`terms.refundFeesFrom.${payer}`)}
        </option>
      ))}
    </Select>
  )
}

function NumberFields({ settings, problems }: { settings: SettingsTerms; problems: Problems }) {
  const t = useT()
  return (
    <>
      <TextField
        id="terms-float-wait"
        name="floatWaitHours"
        label={t('terms.floatWaitHours')}
        defaultValue={String(settings.floatWaitHours)}
        hint={t('terms.floatWaitHoursHint')}
        error={problems.floatWaitHours && t(problems.floatWaitHours)}
        inputMode="numeric"
        maxLength={3}
      />
      <TextField
        id="terms-undo"
        name="undoSeconds"
        label={t('terms.undoSeconds')}
        defaultValue={String(settings.undoSeconds)}
        hint={t('terms.undoSecondsHint')}
        error={problems.undoSeconds && t(problems.undoSeconds)}
        inputMode="numeric"
        maxLength={2}
      />
      <TextField
        id="terms-account-checks"
        name="accountChecksMax"
        label={t('terms.accountChecksMax')}
        defaultValue={String(settings.accountChecksMax)}
        hint={t('terms.accountChecksMaxHint')}
        error={problems.accountChecksMax && t(problems.accountChecksMax)}
        inputMode="numeric"
        maxLength={5}
      />
    </>
  )
}

function CountryFields({ settings, problem }: { settings: SettingsTerms; problem: MessageKey | undefined }) {
  const t = useT()
  return (
    <fieldset className="grid gap-1" aria-describedby="terms-countries">
      <legend className="mb-1 font-medium">{t('terms.countries')}</legend>
      <div className="grid gap-1.5 sm:grid-cols-2">
        {COUNTRY_NAMES.map((country) => (
          <Checkbox key={country} name={country} defaultChecked={settings.countries.includes(country)} label={t(`country.${country}`)} />
        ))}
      </div>
      <p id="terms-countries" className="text-second text-quiet">
        {problem && <span className="block text-bad">{t(problem)}</span>}
        {t('terms.countriesHint')}
      </p>
    </fieldset>
  )
}

function Switches({ settings }: { settings: SettingsTerms }) {
  const t = useT()
  return (
    <div className="grid gap-3">
      <div>
        <Checkbox name="paymentLinks" defaultChecked={settings.allowsPaymentLinks} label={t('terms.paymentLinks')} />
        <p className="text-second text-quiet">{t('terms.paymentLinksHint')}</p>
      </div>
      <div>
        <Checkbox name="secondFactor" defaultChecked={settings.requiresSecondFactor} label={t('terms.secondFactor')} />
        <p className="text-second text-quiet">{t('terms.secondFactorHint')}</p>
      </div>
      <div>
        <Checkbox name="statusCopy" defaultChecked={settings.copiesWebhookStatus} label={t('terms.statusCopy')} />
        <p className="text-second text-quiet">{t('terms.statusCopyHint')}</p>
      </div>
      <div>
        <Checkbox name="combinedRoles" defaultChecked={settings.allowsCombinedRoles} label={t('terms.combinedRoles')} />
        <p className="text-second text-quiet">{t('terms.combinedRolesHint')}</p>
      </div>
    </div>
  )
}

type ZoneDialogProps = { application: string; timeZone: string; onClose: () => void }

/** Proposes another business time zone. */
export function ZoneDialog({ application, timeZone, onClose }: ZoneDialogProps) {
  const t = useT()
  const now = useNow()
  const proposal = useProposal(application, onClose)
  const regions = useMemo(() => listTimeZones(now, timeZone), [now, timeZone])
  return (
    <ProposalDialog
      title={t('terms.changeZone')}
      proposal={proposal}
      onSubmit={(form) => proposal.propose('time_zone.set', { timeZone: String(form.get('timeZone') ?? '') })}
      onClose={onClose}
    >
      <Select id="terms-zone" name="timeZone" label={t('terms.zone')} hint={t('terms.zoneHint')} defaultValue={timeZone}>
        {regions.map(({ region, zones }) => (
          <optgroup key={region} label={region === '' ? 'UTC' : region}>
            {zones.map(({ name, offset }) => (
              <option key={name} value={name}>
                {`${name.replaceAll('_', ' ')} (${offset})`}
              </option>
            ))}
          </optgroup>
        ))}
      </Select>
    </ProposalDialog>
  )
}
