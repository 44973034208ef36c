import { Money } from '#components/domain/money.tsx'
import { TimeText } from '#components/domain/time-text.tsx'
import { SectionHead } from '#components/ui/display/page.tsx'
import { ListTable } from '#components/ui/display/table.tsx'
import { CHANGE_REFUSALS, isChangeRefusal } from '#lib/approvals/change-refusals.ts'
import type { ScheduleDto, ScheduleRunDto, TreasuryDto } from '#lib/finance/treasury-dto.ts'
import { bankAccountText } from '#lib/finance/treasury-dto.ts'
import { scheduleText } from '#lib/finance/withdrawal-schedule.ts'
import { OPERATORS } from '#lib/operators/operators.ts'
import { formatAmount } from '#lib/text/format.ts'
import type { Words } from './transit-section.tsx'
import { RemoveScheduleButton, ScheduleButton } from './treasury-buttons.tsx'

type SchedulesProps = Words & Pick<TreasuryDto, 'accounts' | 'schedules'> & { mayPropose: boolean; zone: string }

/** When withdrawals are proposed by themselves, and what became of the last times. */
export function SchedulesSection({ t, locale, application, accounts, schedules, mayPropose, zone }: SchedulesProps) {
  const balanceOf = ({ operator, account }: ScheduleDto) => {
    const { brand, country } = OPERATORS[operator]
    return `${brand} ${t(`country.${country.name}`)}, ${t(`change.fact.${account}`)}`
  }
  const runText = ({ outcome, reason, amount }: ScheduleRunDto, currency: string) => {
    if (outcome === 'proposed' && amount !== null) return `${t('treasury.run.proposed')}: ${formatAmount(amount, locale)} ${currency}`
    if (outcome !== 'refused') return t(`treasury.run.${outcome}`)
    return t('treasury.run.refused', {
      reason: t(reason !== null && isChangeRefusal(reason) ? CHANGE_REFUSALS[reason] : 'change.refusedByRule'),
    })
  }
  const account = (id: string) => accounts.find(({ bankAccountId }) => bankAccountId === id)
  return (
    <div className="mt-8">
      <SectionHead id="schedules" title={t('treasury.schedules')} text={t('treasury.schedulesLead')}>
        {mayPropose && accounts.length > 0 && <ScheduleButton {...{ application, accounts, zone, present: null, balance: null }} />}
      </SectionHead>
      {schedules.length === 0 ? (
        <p className="mt-2 text-quiet">{t('treasury.noSchedules')}</p>
      ) : (
        <ListTable
          label={t('treasury.schedules')}
          className="mt-3"
          isList
          rows={schedules}
          keyOf={({ operator, account: of }) => `${operator} ${of}`}
          columns={[
            {
              head: t('treasury.balance'),
              cell: (schedule) => (
                <>
                  {balanceOf(schedule)}
                  <span className="block text-second text-quiet">{t('treasury.setBy', { name: schedule.proposedBy })}</span>
                </>
              ),
            },
            {
              head: t('treasury.to'),
              cell: ({ bankAccountId }) => {
                const to = account(bankAccountId)
                return to ? bankAccountText(to) : t('change.bankAccountRemoved')
              },
            },
            {
              head: t('treasury.when'),
              cell: ({ every, weekday, monthDay, minute, nextDueAt }) => (
                <>
                  {scheduleText(t, { every, day: weekday ?? monthDay ?? 0, minute })}
                  <span className="block text-second text-quiet">
                    {t('treasury.next')} <TimeText at={nextDueAt} style="day-time" />
                  </span>
                </>
              ),
            },
            {
              head: t('treasury.keeps'),
              align: 'end',
              isLabelled: true,
              cell: ({ keep, operator }) => <Money amount={keep} currency={OPERATORS[operator].country.currency} />,
            },
            {
              head: t('treasury.lastRuns'),
              isLabelled: true,
              cell: ({ runs, operator }) => (
                <ul className="grid gap-0.5">
                  {runs.map((run) => (
                    <li key={run.dueAt}>
                      <TimeText at={run.dueAt} style="day-time" /> {runText(run, OPERATORS[operator].country.currency)}
                    </li>
                  ))}
                  {runs.length === 0 && <li className="text-quiet">–</li>}
                </ul>
              ),
            },
            ...(mayPropose
              ? [
                  {
                    head: t('treasury.actions'),
                    cell: (schedule: ScheduleDto) => (
                      <div className="flex flex-wrap justify-end gap-2 py-1">
                        <ScheduleButton {...{ application, accounts, zone, present: schedule, balance: balanceOf(schedule) }} />
                        <RemoveScheduleButton
                          application={application}
                          operator={schedule.operator}
                          account={schedule.account}
                          balance={balanceOf(schedule)}
                        />
                      </div>
                    ),
                  },
                ]
              : []),
          ]}
        />
      )}
    </div>
  )
}
