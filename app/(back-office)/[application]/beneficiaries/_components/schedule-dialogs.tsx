import { useState } from 'react'
import { FormDialog } from '#components/form/form-dialog.tsx'
import { useAction } from '#components/form/use-action.tsx'
import { Select, TextField } from '#components/ui/field.tsx'
import { toast } from '#components/ui/overlay/toast.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { BeneficiaryGroup } from '#lib/beneficiaries/beneficiaries.ts'
import { PAYMENT_PERIODS, type PaymentTime } from '#lib/beneficiaries/payment-schedule.ts'
import { weekdays } from '#lib/finance/withdrawal-schedule.ts'
import { PAYMENT_TEXTS } from '#lib/payments/payment-fields.ts'
import { endListSchedule, scheduleList } from '../schedule-actions.ts'

const REFUSALS = {
  not_permitted: 'action.forbidden',
  not_found: 'plan.refused.not_found',
  wrong_time: 'plan.refused.wrong_time',
  too_many_schedules: 'plan.refused.too_many_schedules',
} as const

type Props = {
  application: string
  zone: string
  of: { groups: readonly BeneficiaryGroup[] } | { batchId: string; name: string }
  onClose: () => void
}

/** The form of a schedule: of a group, or of an earlier list. */
export function ScheduleDialog({ application, zone, of, onClose }: Props) {
  const t = useT()
  const [every, setEvery] = useState<PaymentTime['every']>('month')
  const { run, isPending, error, setError } = useAction((input: Parameters<typeof scheduleList>[1]) => scheduleList(application, input), {
    words: REFUSALS,
    refreshes: 'done',
    onDone() {
      toast(t('plan.set'))
      onClose()
    },
  })
  const isGroup = 'groups' in of
  function submit(fields: FormData) {
    const textOf = (name: string) => String(fields.get(name) ?? '').trim()
    const time = timeOf(every, textOf)
    if (textOf('name') === '' || time === undefined) return setError(t('plan.nameMissing'))
    const source = isGroup ? { groupName: textOf('groupName') } : { batchId: of.batchId }
    run({ source, name: textOf('name'), purpose: textOf('purpose') || null, time })
  }
  return (
    <FormDialog
      title={isGroup ? t('plan.group') : t('plan.repeat', { name: of.name })}
      submitLabel={t('plan.button')}
      isPending={isPending}
      error={error}
      onSubmit={(_, fields) => submit(fields)}
      onClose={onClose}
    >
      <p>{t('plan.lead')}</p>
      {isGroup && (
        <Select id="plan-group" name="groupName" label={t('beneficiaries.group')}>
          {of.groups.map(({ groupName, count }) => (
            <option key={groupName} value={groupName}>
              {t('beneficiaries.groupCount', { group: groupName, count })}
            </option>
          ))}
        </Select>
      )}
      <TextField
        id="plan-name"
        name="name"
        label={t('plan.name')}
        defaultValue={isGroup ? '' : of.name}
        autoComplete="off"
        maxLength={200}
      />
      <TextField
        id="plan-purpose"
        name="purpose"
        label={t('repeat.purpose')}
        hint={t('repeat.purposeHint')}
        autoComplete="off"
        maxLength={PAYMENT_TEXTS.purpose.lengthMax}
      />
      <TimeFields every={every} onEvery={setEvery} zone={zone} />
    </FormDialog>
  )
}

type TimeFieldsProps = { every: PaymentTime['every']; onEvery: (every: PaymentTime['every']) => void; zone: string }

/** How often, on which day, and at what time. */
function TimeFields({ every, onEvery, zone }: TimeFieldsProps) {
  const t = useT()
  return (
    <div className="grid gap-4 sm:grid-cols-3">
      <Select
        id="plan-every"
        name="every"
        label={t('plan.every')}
        value={every}
        onChange={({ target }) => onEvery(PAYMENT_PERIODS.find((each) => each === target.value) ?? every)}
      >
        {PAYMENT_PERIODS.map((each) => (
          <option key={each} value={each}>
            {t(`plan.every.${each}`)}
          </option>
        ))}
      </Select>
      {every === 'once' && <TextField id="plan-day" name="day" type="date" label={t('plan.day')} />}
      {every === 'week' && (
        <Select id="plan-weekday" name="weekday" label={t('plan.weekday')}>
          {weekdays(t).map((name, index) => (
            <option key={name} value={index + 1}>
              {name}
            </option>
          ))}
        </Select>
      )}
      {every === 'month' && (
        <Select id="plan-month-day" name="monthDay" label={t('plan.monthDay')}>
          {Array.from({ length: 28 }, (_, index) => (
            <option key={String(index + 1)} value={index + 1}>
              {index + 1}
            </option>
          ))}
        </Select>
      )}
      <TextField id="plan-time" name="time" type="time" label={t('plan.time', { zone: zone.replaceAll('_', ' ') })} defaultValue="08:00" />
    </div>
  )
}

function timeOf(every: PaymentTime['every'], textOf: (name: string) => string): PaymentTime | undefined {
  const [hours = '', minutes = ''] = textOf('time').split(':')
  const minute = Number(hours) * 60 + Number(minutes)
  if (hours === '' || minutes === '' || Number.isNaN(minute)) return undefined
  if (every === 'week') return { every, weekday: Number(textOf('weekday')), monthDay: null, day: null, minute }
  if (every === 'month') return { every, weekday: null, monthDay: Number(textOf('monthDay')), day: null, minute }
  return textOf('day') === '' ? undefined : { every, weekday: null, monthDay: null, day: textOf('day'), minute }
}

/** Asks before a schedule ends. */
export function EndDialog({
  application,
  scheduleId,
  name,
  onClose,
}: Pick<Props, 'application' | 'onClose'> & { scheduleId: string; name: string }) {
  const t = useT()
  const { run, isPending, error } = useAction(() => endListSchedule(application, { scheduleId }), {
    words: { not_permitted: 'action.forbidden', not_found: 'action.not_found' },
    refreshes: 'answered',
    onDone() {
      toast(t('plan.ended'))
      onClose()
    },
  })
  return (
    <FormDialog
      title={t('plan.endOf', { name })}
      submitLabel={t('plan.end')}
      submitVariant="danger"
      isPending={isPending}
      error={error}
      onSubmit={() => run()}
      onClose={onClose}
    >
      <p>{t('plan.endText')}</p>
    </FormDialog>
  )
}
