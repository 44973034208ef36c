import type { Locale } from '#lib/i18n/locale.ts'
import type { LinkObstacle } from '#lib/payments/payment-links.ts'
import { err, ok, type Result } from '#lib/result.ts'
import type { LinkPaymentForm } from '#lib/schemas/payment-link.ts'
import type { ApplicationSnapshot } from '#server/applications/snapshot.ts'
import type { Pool } from '#server/database/pool.ts'
import type { StartProblem, StartRequest } from '#server/transactions/find-start-problems.ts'
import { type StartTransactionsDeps, startTransactions } from '#server/transactions/start-transactions.ts'
import { type CustomerLink, findOpenPayToken, readLinkAttempt } from './payment-link-store.ts'
import { type EnteredField, readEnteredPayment } from './read-entered-payment.ts'

export type StartLinkDeps = StartTransactionsDeps & {
  pool: Pool
  directory: { find(applicationId: string): ApplicationSnapshot | undefined }
}

type StartLinkPayment = { link: CustomerLink; form: LinkPaymentForm; locale: Locale }

export type StartLinkFailure =
  | { kind: 'invalid'; fields: EnteredField[] }
  | { kind: 'obstacle'; obstacle: LinkObstacle }
  /** The application's terms refuse it: a service, a limit or a fee. */
  | { kind: 'refused'; problem: StartProblem; request: StartRequest }
  | { kind: 'overloaded' }

/** As often as payments of one link may overtake each other between the check and the start. */
const ATTEMPTS_MAX = 3

/**
 * Starts the collect of a customer at a link, with everything that any collect has, and returns the token of its page. The same form again, and
 * another one while a payment of the link must not be repeated, lead to the collect that exists. What the link accepts is checked here for the
 * message, and once more by the database under the lock of the application.
 */
export async function startLinkPayment(
  deps: StartLinkDeps,
  { link, form, locale }: StartLinkPayment,
): Promise<Result<{ payToken: string }, StartLinkFailure>> {
  const entered = readEnteredPayment(link, form, locale)
  if (!entered.ok) return err({ kind: 'invalid', fields: entered.error })
  for (let attempt = 1; ; attempt++) {
    const { existingPayToken, obstacle } = await readLinkAttempt(deps.pool, link, entered.value)
    if (existingPayToken !== null) return ok({ payToken: existingPayToken })
    if (obstacle !== null) {
      const open = obstacle === 'in_progress' ? await findOpenPayToken(deps.pool, link, entered.value.phoneNumber) : undefined
      return open === undefined ? err({ kind: 'obstacle', obstacle }) : ok({ payToken: open })
    }
    try {
      return await start(deps, link, entered.value)
    } catch (error) {
      // Another payment was quicker after the check, or the link was closed: it is seen now.
      if (!isLinkRefused(error) || attempt === ATTEMPTS_MAX) throw error
    }
  }
}

async function start(
  deps: StartLinkDeps,
  link: CustomerLink,
  request: StartRequest,
): Promise<Result<{ payToken: string }, StartLinkFailure>> {
  const application = deps.directory.find(link.applicationId)
  if (!application) return err({ kind: 'obstacle', obstacle: 'not_allowed' })
  const { linkId, createdBy } = link
  const started = await startTransactions(deps, {
    source: 'link',
    actor: { kind: 'system', id: null },
    link: { linkId, createdBy },
    application,
    type: 'COLLECT',
    requests: [request],
  })
  if (started.ok) {
    const [outcome] = started.value
    if (!outcome || outcome.kind === 'conflict') throw new Error('A payment of a link was started without a transaction')
    return ok({ payToken: outcome.payToken })
  }
  const { error } = started
  if (error.kind === 'overloaded') return err({ kind: 'overloaded' })
  if (error.kind !== 'refused') return err({ kind: 'obstacle', obstacle: 'not_allowed' })
  const [problem] = error.problems
  if (!problem) throw new Error('A payment of a link was refused without a reason')
  return err({ kind: 'refused', problem, request })
}

/** Whether the database refused a payment because of what the link accepts. */
function isLinkRefused(error: unknown): boolean {
  return error instanceof Error && 'constraint' in error && error.constraint === 'payment_link_accepts'
}
