import { useState } from 'react'
import { OperatorOptions } from '#components/domain/operator-mark.tsx'
import { Select, TextField } from '#components/ui/field.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import { CHANGE_REFUSALS, isChangeRefusal } from '#lib/approvals/change-refusals.ts'
import type { BankAccountDto, ScheduleDto } from '#lib/finance/treasury-dto.ts'
import { minuteText, SCHEDULE_PERIODS, weekdays } from '#lib/finance/withdrawal-schedule.ts'
import { CURRENCIES, parseMinor, parseTypedAmount } from '#lib/money/money.ts'
import { OPERATOR_CODES, OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import { formatAmount } from '#lib/text/format.ts'
import { ProposalDialog } from '../../_components/changes/proposal-dialog.tsx'
import { useProposal } from '../../_components/changes/use-proposal.ts'
import { BankAccountOptions } from './bank-account-options.tsx'

type Props = { application: string; onClose: () => void }

/** The form of a new bank account. */
export function AccountDialog({ application, onClose }: Props) {
  const { t } = useTranslations()
  const proposal = useProposal(application, onClose)
  const problem = proposal.problems['number']
  function submit(form: FormData) {
    const [holder, bank, number] = ['holder', 'bank', 'number'].map((name) => String(form.get(name) ?? '').trim())
    if (!holder || !bank || !number) return proposal.setError(t('treasury.allMissing'))
    proposal.propose('bank_account.add', { holder, bank, number, currency: String(form.get('currency')) })
  }
  return (
    <ProposalDialog title={t('treasury.addAccount')} proposal={proposal} onSubmit={submit} onClose={onClose}>
      <TextField id="account-holder" name="holder" label={t('treasury.holder')} autoComplete="off" maxLength={100} />
      <TextField id="account-bank" name="bank" label={t('treasury.bank')} autoComplete="off" maxLength={100} />
      <CurrencySelect />
      <TextField
        id="account-number"
        name="number"
        label={t('treasury.number')}
        hint={t('treasury.numberHint')}
        error={problem && isChangeRefusal(problem) ? t(CHANGE_REFUSALS[problem]) : undefined}
        autoComplete="off"
        spellCheck={false}
        maxLength={60}
      />
    </ProposalDialog>
  )
}

function CurrencySelect() {
  const { t } = useTranslations()
  return (
    <Select id="treasury-currency" name="currency" label={t('treasury.currency')}>
      {CURRENCIES.map((each) => (
        <option key={each} value={each}>
          {each}
        </option>
      ))}
    </Select>
  )
}

/** The form of the smallest withdrawal in a currency. */
export function MinimumDialog({ application, onClose }: Props) {
  const { t, locale } = useTranslations()
  const proposal = useProposal(application, onClose)
  function submit(form: FormData) {
    const typed = String(form.get('minimum') ?? '').trim()
    const amount = typed === '' ? null : parseTypedAmount(typed, locale)
    if (amount === undefined || (amount !== null && !/[1-9]/.test(amount))) return proposal.setError(t('funding.amountWrong'))
    const minimumMinor = amount === null ? null : String(parseMinor(amount))
    proposal.propose('withdrawal.minimum', { currency: String(form.get('currency')), minimumMinor })
  }
  return (
    <ProposalDialog title={t('treasury.setMinimum')} proposal={proposal} onSubmit={submit} onClose={onClose}>
      <CurrencySelect />
      <TextField
        id="treasury-minimum"
        name="minimum"
        label={t('treasury.minimum')}
        hint={t('treasury.minimumHint')}
        inputMode="decimal"
        autoComplete="off"
        maxLength={20}
      />
    </ProposalDialog>
  )
}

export type ScheduleDialogProps = Props & { accounts: readonly BankAccountDto[]; zone: string; present: ScheduleDto | null }

/** The form of the schedule of a balance: a new one, or the present one, whose balance stays. */
export function ScheduleDialog({ application, accounts, zone, present, onClose }: ScheduleDialogProps) {
  const { t, locale } = useTranslations()
  const proposal = useProposal(application, onClose)
  const [operator, setOperator] = useState<OperatorCode>(present?.operator ?? OPERATOR_CODES[0])
  const [every, setEvery] = useState<string>(present?.every ?? 'day')
  const { currency } = OPERATORS[operator].country
  function submit(form: FormData) {
    const textOf = (name: string) => String(form.get(name) ?? '').trim()
    const keep = textOf('keep') === '' ? '0' : parseTypedAmount(textOf('keep'), locale)
    const [hours = '', minutes = ''] = textOf('time').split(':')
    const minute = Number(hours) * 60 + Number(minutes)
    if (keep === undefined || textOf('time') === '' || textOf('bankAccountId') === '') return proposal.setError(t('treasury.allMissing'))
    proposal.propose('withdrawal.schedule', {
      operator,
      account: present?.account ?? textOf('account'),
      terms: {
        bankAccountId: textOf('bankAccountId'),
        every,
        weekday: every === 'week' ? Number(textOf('weekday')) : null,
        monthDay: every === 'month' ? Number(textOf('monthDay')) : null,
        minute,
        keepMinor: String(parseMinor(keep)),
      },
    })
  }
  return (
    <ProposalDialog title={t('treasury.setSchedule')} proposal={proposal} onSubmit={submit} onClose={onClose}>
      {present === null && (
        <div className="grid gap-4 sm:grid-cols-2">
          <Select
            id="schedule-operator"
            name="operator"
            label={t('funding.operator')}
            value={operator}
            onChange={({ target }) => setOperator(OPERATOR_CODES.find((each) => each === target.value) ?? operator)}
          >
            <OperatorOptions />
          </Select>
          <Select id="schedule-account" name="account" label={t('funding.account')} defaultValue="collect">
            <option value="collect">{t('change.fact.collect')}</option>
            <option value="deposit">{t('change.fact.deposit')}</option>
          </Select>
        </div>
      )}
      <BankAccountOptions accounts={accounts} currency={currency} present={present?.bankAccountId ?? null} />
      <TimeFields every={every} onEvery={setEvery} zone={zone} present={present} />
      <TextField
        id="schedule-keep"
        name="keep"
        label={t('treasury.keepIn', { currency })}
        defaultValue={present ? formatAmount(present.keep, locale) : '0'}
        inputMode="decimal"
        autoComplete="off"
        maxLength={20}
      />
    </ProposalDialog>
  )
}

type TimeProps = Pick<ScheduleDialogProps, 'zone' | 'present'> & { every: string; onEvery: (every: string) => void }

/** How often, on which day, and at what time. */
function TimeFields({ every, onEvery, zone, present }: TimeProps) {
  const { t } = useTranslations()
  return (
    <div className="grid gap-4 sm:grid-cols-3">
      <Select id="schedule-every" name="every" label={t('treasury.every')} value={every} onChange={({ target }) => onEvery(target.value)}>
        {SCHEDULE_PERIODS.map((each) => (
          <option key={each} value={each}>
            {t(`treasury.every.${each}`)}
          </option>
        ))}
      </Select>
      {every === 'week' && (
        <Select id="schedule-weekday" name="weekday" label={t('treasury.weekday')} defaultValue={present?.weekday ?? 1}>
          {weekdays(t).map((name, index) => (
            <option key={name} value={index + 1}>
              {name}
            </option>
          ))}
        </Select>
      )}
      {every === 'month' && (
        <Select id="schedule-day" name="monthDay" label={t('treasury.monthDay')} defaultValue={present?.monthDay ?? 1}>
          {Array.from({ length: 28 }, (_, index) => (
            <option key={String(index + 1)} value={index + 1}>
              {index + 1}
            </option>
          ))}
        </Select>
      )}
      <TextField
        id="schedule-time"
        name="time"
        type="time"
        label={t('treasury.time', { zone: zone.replaceAll('_', ' ') })}
        defaultValue={minuteText(present?.minute ?? 480)}
      />
    </div>
  )
}
