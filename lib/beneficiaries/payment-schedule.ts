import { instantIn, lastDueAt, nextDueAt } from '#lib/finance/withdrawal-schedule.ts'

export const PAYMENT_PERIODS = ['once', 'week', 'month'] as const

/** When a list is prepared, on the clock of the application's business zone. `weekday`: 1 is Monday; `monthDay`: 1 to 28; `day`: of `once`. */
export type PaymentTime = { minute: number } & (
  | { every: 'once'; weekday: null; monthDay: null; day: string }
  | { every: 'week'; weekday: number; monthDay: null; day: null }
  | { every: 'month'; weekday: null; monthDay: number; day: null }
)

/** The outcome of one time of a schedule. missed: no process ran within an hour. refused: the reason says why. */
export type PaymentRunOutcome = 'prepared' | 'missed' | 'refused'

/** Why no batch was made at a time: of the maker, the application, or the list. */
export type RunRefusal = 'maker_gone' | 'application_disabled' | 'not_found' | 'still_open' | 'nobody' | 'too_many'

export type PaymentRunDto = { dueAt: string; outcome: PaymentRunOutcome; reason: RunRefusal | null; batchId: string | null }

/** A schedule of lists, with its last runs, the newest first. `nextDueAt` is null after the last one. */
export type PaymentScheduleDto = PaymentTime & {
  scheduleId: string
  name: string
  groupName: string | null
  source: { batchId: string; name: string } | null
  makerName: string
  isEnded: boolean
  nextDueAt: string | null
  runs: readonly PaymentRunDto[]
}

/** The last instant up to `now` at which a schedule was due; undefined: not yet. */
export function lastPaymentDue(time: PaymentTime, zone: string, now: Date): Date | undefined {
  if (time.every !== 'once') return lastDueAt(time, zone, now)
  const due = instantIn(zone, time.day, time.minute)
  return due.getTime() <= now.getTime() ? due : undefined
}

/** The next instant after `now`; undefined: there is none. */
export function nextPaymentDue(time: PaymentTime, zone: string, now: Date): Date | undefined {
  if (time.every !== 'once') return nextDueAt(time, zone, now)
  const due = instantIn(zone, time.day, time.minute)
  return due.getTime() > now.getTime() ? due : undefined
}
