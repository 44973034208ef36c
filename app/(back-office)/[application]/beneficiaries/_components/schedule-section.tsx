import { TimeText } from '#components/domain/time-text.tsx'
import { Notice } from '#components/ui/display/empty-state.tsx'
import { SectionHead } from '#components/ui/display/page.tsx'
import { ListTable } from '#components/ui/display/table.tsx'
import { Link } from '#components/ui/link.tsx'
import type { BeneficiaryGroup } from '#lib/beneficiaries/beneficiaries.ts'
import type { PaymentRunDto, PaymentScheduleDto } from '#lib/beneficiaries/payment-schedule.ts'
import { minuteText, scheduleText } from '#lib/finance/withdrawal-schedule.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { paths } from '#lib/pages/paths.ts'
import { EndButton, ScheduleButton } from './schedule-buttons.tsx'

type Props = {
  t: Translate
  application: string
  schedules: readonly PaymentScheduleDto[]
  groups: readonly BeneficiaryGroup[]
  zone: string
  mayChange: boolean
}

/** The schedules of lists, the outcome of the last times, and which of them was not made and why. */
export function ScheduleSection({ t, application, schedules, groups, zone, mayChange }: Props) {
  if (schedules.length === 0 && !(mayChange && groups.length > 0)) return null
  const notMade = schedules.flatMap(({ name, runs: [last] }) => (last && last.outcome !== 'prepared' ? [{ name, last }] : []))
  return (
    <section className="mt-8">
      <SectionHead id="plans" title={t('plan.title')} text={t('plan.lead')}>
        {mayChange && groups.length > 0 && <ScheduleButton application={application} zone={zone} of={{ groups }} />}
      </SectionHead>
      {notMade.map(({ name, last }) => (
        <div key={`${name} ${last.dueAt}`} className="mt-3">
          <Notice tone="bad">
            {t('plan.notMade', { name, reason: reasonText(t, last) })} <TimeText at={last.dueAt} style="full" />
          </Notice>
        </div>
      ))}
      {schedules.length === 0 ? (
        <p className="mt-2 text-quiet">{t('plan.none')}</p>
      ) : (
        <ListTable
          label={t('plan.title')}
          className="mt-3"
          isList
          rows={schedules}
          keyOf={({ scheduleId }) => scheduleId}
          columns={[
            { head: t('plan.what'), cell: (schedule) => <What t={t} application={application} schedule={schedule} /> },
            {
              head: t('plan.when'),
              cell: (schedule) => (
                <>
                  {whenText(t, schedule)}
                  <span className="block text-second text-quiet">
                    {schedule.nextDueAt === null ? (
                      t('plan.ended')
                    ) : (
                      <>
                        {t('plan.next')} <TimeText at={schedule.nextDueAt} style="day-time" />
                      </>
                    )}
                  </span>
                </>
              ),
            },
            { head: t('plan.lastTimes'), isLabelled: true, cell: ({ runs }) => <Runs t={t} application={application} runs={runs} /> },
            ...(mayChange
              ? [
                  {
                    head: t('beneficiaries.actions'),
                    align: 'end' as const,
                    cell: ({ scheduleId, name, isEnded }: PaymentScheduleDto) =>
                      isEnded ? null : <EndButton application={application} scheduleId={scheduleId} name={name} />,
                  },
                ]
              : []),
          ]}
        />
      )}
    </section>
  )
}

type WhatProps = { t: Translate; application: string; schedule: PaymentScheduleDto }

function What({ t, application, schedule: { name, groupName, source, makerName } }: WhatProps) {
  return (
    <>
      <bdi className="font-medium wrap-anywhere">{name}</bdi>
      <span className="block text-second text-quiet">
        {source ? (
          <Link href={paths.batch(application, source.batchId)} className="text-accent hover:underline">
            {t('plan.ofBatch', { name: source.name })}
          </Link>
        ) : (
          t('plan.ofGroup', { name: groupName ?? '' })
        )}
        {' · '}
        {t('plan.setBy', { name: makerName })}
      </span>
    </>
  )
}

function Runs({ t, application, runs }: { t: Translate; application: string; runs: readonly PaymentRunDto[] }) {
  if (runs.length === 0) return <span className="text-quiet">–</span>
  return (
    <ul className="grid gap-0.5">
      {runs.map((run) => (
        <li key={run.dueAt}>
          <TimeText at={run.dueAt} style="day-time" />{' '}
          {run.batchId === null ? (
            t('plan.run.notMade', { reason: reasonText(t, run) })
          ) : (
            <Link href={paths.batch(application, run.batchId)} className="text-accent hover:underline">
              {t('plan.prepared')}
            </Link>
          )}
        </li>
      ))}
    </ul>
  )
}

function reasonText(t: Translate, { reason }: PaymentRunDto): string {
  return t(`plan.reason.${reason ?? 'missed'}`)
}

function whenText(t: Translate, { every, weekday, monthDay, minute }: PaymentScheduleDto): string {
  if (every === 'once') return `${t('plan.once')}, ${minuteText(minute)}`
  return scheduleText(t, { every, day: weekday ?? monthDay ?? 0, minute })
}
