import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { type Pool, TASK_STATEMENT_LIMIT_MS, withStatementLimit } from '#server/database/pool.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import { type Backoff, backoffMs, retryWithBackoff } from '#server/retry.ts'
import { type ClaimedTask, claimTasks, endClaim, extendClaims, registerTasks } from './scheduled-task-store.ts'

/** A task that runs on a schedule, once for the whole installation however many workers there are. */
export type ScheduledTask = { name: string; schedule: Schedule; work(): Promise<void> }

type TaskRunner = {
  /** Claims nothing more, and resolves when the tasks that run have ended, or after ten seconds. */
  stop(): Promise<void>
}

type TaskRunnerOptions = {
  pool: Pool
  tasks: readonly ScheduledTask[]
  /** How often due tasks are claimed. */
  pollMs?: number
  /** How long after the death of its process a task is taken over. Extended while it runs. */
  leaseMs?: number
  backoff?: Backoff
}

/** One more than the tasks that may take minutes (removing old rows, sealing, sending webhooks again, sending mails), so that those of each minute are on time. */
const CONCURRENCY = 5
const ATTEMPTS_MAX = 3
const RETRY_BACKOFF = { firstMs: 2_000, maxMs: 30_000, factor: 4 }
const POLL_MS = 2_000
const LEASE_MS = 60_000
const STOP_LIMIT_MS = 10_000
/** Of what is stored of a failure. The log has all of it. */
const FAILURE_LENGTH_MAX = 300
/** A database that restarts is back within these attempts; otherwise the lease ends and the task runs again. */
const RECORD_RETRY = { attemptsMax: 4, backoff: { firstMs: 50, maxMs: 1_000, factor: 3 } }

/** One task of the table. `schedule` is a crontab pattern in UTC. */
export function scheduledTask(name: string, schedule: string, work: () => Promise<void>): ScheduledTask {
  return { name, schedule: parseSchedule(schedule), work }
}

/**
 * Runs the scheduled tasks. Each is a row with the time of its next run, which a process claims for a lease. A task that throws runs three
 * times before it waits for its next time. A task that was due while no process ran is run once. Nothing that a task or the database does
 * ends the process: failures are reported, and the claim is repeated.
 */
export function runScheduledTasks({ pool, tasks, ...options }: TaskRunnerOptions): TaskRunner {
  const { pollMs = POLL_MS, leaseMs = LEASE_MS, backoff = RETRY_BACKOFF } = options
  const claimId = randomUUID()
  const byName = new Map(tasks.map((task) => [task.name, task]))
  const running = new Map<string, Promise<void>>()
  const stopping = new AbortController()
  let wake: (() => void) | undefined
  let isRegistered = false

  async function claim(): Promise<void> {
    if (!isRegistered) {
      const now = new Date()
      await registerTasks(
        pool,
        tasks.map(({ name, schedule }) => ({ task: name, dueAt: nextRunAt(schedule, now) })),
      )
      isRegistered = true
    }
    const limit = CONCURRENCY - running.size
    if (limit === 0) return
    const names = [...byName.keys()].filter((name) => !running.has(name))
    const claimedMs = performance.now()
    for (const claimed of await claimTasks(pool, { names, limit, claimId, leaseMs })) {
      const task = byName.get(claimed.task)
      if (!task) continue
      const run = runOnce({ pool, claimId, backoff }, task, claimed, claimedMs).finally(() => {
        running.delete(task.name)
        // Another one may be due.
        wake?.()
      })
      running.set(task.name, run)
    }
  }

  async function loop(): Promise<void> {
    while (!stopping.signal.aborted) {
      const isOver = new Promise<void>((resolve) => {
        wake = resolve
      })
      await claim().catch((error: unknown) => reportUnexpected('tasks: claim', error, { message: 'Due tasks could not be claimed' }))
      // biome-ignore lint/plugin/no-silent-error: the wait is only ended early, and never fails.
      await Promise.race([isOver, delay(pollMs, undefined, { signal: stopping.signal }).catch(() => undefined)])
    }
  }

  const extending = setInterval(() => {
    if (running.size === 0) return
    void extendClaims(pool, { names: [...running.keys()], claimId, leaseMs }).catch((error: unknown) =>
      reportUnexpected('tasks: extend', error, { message: 'The claims of running tasks could not be extended' }),
    )
  }, leaseMs / 4)
  const looping = loop()

  return {
    async stop() {
      stopping.abort()
      await looping
      await Promise.race([Promise.all(running.values()), delay(STOP_LIMIT_MS, undefined, { ref: false })])
      clearInterval(extending)
    },
  }
}

type Claim = { pool: Pool; claimId: string; backoff: Backoff }

/** Runs one task and records when it is due next. Never rejects. */
async function runOnce({ pool, claimId, backoff }: Claim, task: ScheduledTask, claimed: ClaimedTask, claimedMs: number): Promise<void> {
  const failure = await failureOf(task, claimed.attempts)
  const isRepeated = failure !== null && claimed.attempts < ATTEMPTS_MAX
  const databaseNow = new Date(claimed.databaseNow.getTime() + performance.now() - claimedMs)
  const dueAt = isRepeated
    ? new Date(databaseNow.getTime() + backoffMs(claimed.attempts, backoff))
    : nextRunAt(task.schedule, claimed.dueAt > databaseNow ? claimed.dueAt : databaseNow)
  const ending = { task: task.name, claimId, dueAt, attempts: isRepeated ? claimed.attempts : 0, failure }
  await retryWithBackoff(() => endClaim(pool, ending), RECORD_RETRY).catch((error: unknown) =>
    reportUnexpected('tasks: record', error, { task: task.name, message: 'A task could not be recorded; it runs again after its lease' }),
  )
}

/** Runs the task. Returns null, or the first line of what it threw. */
async function failureOf(task: ScheduledTask, attempt: number): Promise<string | null> {
  try {
    await withStatementLimit(TASK_STATEMENT_LIMIT_MS, task.work)
    return null
  } catch (error) {
    const repeated = attempt < ATTEMPTS_MAX ? 'soon' : 'at its next time'
    reportUnexpected('tasks: run', error, { task: task.name, attempt, message: `A scheduled task failed; it is repeated ${repeated}` })
    const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
    return line.replaceAll('\0', '').slice(0, FAILURE_LENGTH_MAX)
  }
}

// A crontab pattern in UTC whose days are all `*`: minute and hour are `*`, a number, a step (`*/5`), or several of these with commas.
type Schedule = { minutes: ReadonlySet<number>; hours: ReadonlySet<number> }

const MINUTE_MS = 60_000
const DAY_MINUTES = 24 * 60

/** Reads a crontab pattern. Throws an Error for one that this service does not support. */
export function parseSchedule(pattern: string): Schedule {
  const [minute = '', hour = '', ...days] = pattern.split(' ')
  if (days.join(' ') !== '* * *') throw new Error(`The schedule "${pattern}" must end with "* * *"`)
  return { minutes: parseField(minute, 60, pattern), hours: parseField(hour, 24, pattern) }
}

/** The first minute after this instant that the schedule names. */
export function nextRunAt({ minutes, hours }: Schedule, after: Date): Date {
  const firstMs = (Math.floor(after.getTime() / MINUTE_MS) + 1) * MINUTE_MS
  for (let passed = 0; passed < DAY_MINUTES; passed++) {
    const at = new Date(firstMs + passed * MINUTE_MS)
    if (minutes.has(at.getUTCMinutes()) && hours.has(at.getUTCHours())) return at
  }
  throw new Error('A schedule names no minute of the day')
}

function parseField(field: string, size: number, pattern: string): Set<number> {
  const values = field.split(',').flatMap((part) => {
    const step = part === '*' ? 1 : Number(/^\*\/(\d+)$/.exec(part)?.[1] ?? 0)
    if (step > 0) return Array.from({ length: Math.ceil(size / step) }, (_, index) => index * step)
    return [/^\d+$/.test(part) ? Number(part) : Number.NaN]
  })
  if (!values.every((value) => value < size)) throw new Error(`The schedule "${pattern}" has a field that is not supported: ${field}`)
  return new Set(values)
}
