import { randomUUID } from 'node:crypto'
import { err, ok, type Result } from '#lib/result.ts'
import { hideSecrets } from '#lib/text/web-address.ts'
import type { Clock } from '#lib/time/time.ts'
import type { WebhookTestDto } from '#lib/webhooks/webhook-portal.ts'
import type { CommandActor, PersonCommandActor } from '#server/audit/command-actor.ts'
import { done, runCommand } from '#server/audit/run-command.ts'
import type { Pool, Queryable } from '#server/database/pool.ts'
import {
  countTestsOfHour,
  insertResend,
  insertTest,
  type ResendFactsRow,
  selectResendFacts,
  selectTests,
  storeTestResult,
} from './resend-store.ts'
import type { Sender } from './send/send-webhook.ts'
import { signWebhook, type WebhookSecret, webhookPayload } from './send/sign-webhook.ts'

/** Resends of one transaction within the period. */
const LIMIT = { count: 10, periodMs: 60 * 60_000 }

type ResendCommand = {
  applicationId: string
  transactionId: string
  /** A person, whose roles were just read: a resend is always a person's decision. */
  actor: Extract<CommandActor, { kind: 'person' }>
}

/**
 * `not_permitted`: the person's roles do not allow it (403). `no_delivery`: the application has no such transaction, it is not final, or
 * its delivery is older than the installation keeps deliveries. `attempt_in_progress`: an attempt of the schedule has been claimed and has
 * no outcome yet. `resend_waiting`: an earlier resend has no outcome yet. `throttled`: the limit for this transaction is reached.
 */
type ResendFailure = 'not_permitted' | 'no_delivery' | ResendObstacle

/** The reason why a delivery cannot be resent for the moment. */
type ResendObstacle = 'attempt_in_progress' | 'resend_waiting' | { code: 'throttled'; retryAfterMs: number }

/**
 * Requests one more attempt to deliver the webhook of a final transaction, whether it was delivered, is waiting or is exhausted. Once this
 * returns, the request and its audit entry are committed, and a delivery loop sends it: even if this process dies now. The attempt
 * schedules no retry, and its failure leaves the state of the delivery as it was. Of two requests at the same moment one is
 * `resend_waiting`.
 */
export async function resendWebhook(
  deps: { pool: Pool; wakeWebhooks: () => void },
  command: ResendCommand,
): Promise<Result<{ resendNumber: number }, ResendFailure>> {
  const { applicationId, transactionId, actor } = command
  const key = { applicationId, transactionId }
  const resent = await runCommand<{ resendNumber: number }, ResendFailure>(deps.pool, command, 'webhook:resend', async (trx) => {
    const facts = await selectResendFacts(trx, key, LIMIT)
    if (!facts) return err('no_delivery')
    const obstacle = obstacleOf(facts)
    if (obstacle) return err(obstacle)
    const resendNumber = facts.lastNumber + 1
    const isInserted = await insertResend(trx, { ...key, number: resendNumber, target: facts.target, requestedBy: actor.id })
    if (!isInserted) return err('resend_waiting')
    const details = { resendNumber, state: facts.state }
    return done({ action: 'webhook.resend_requested', subject: transactionId, details }, { resendNumber })
  })
  if (resent.ok) deps.wakeWebhooks()
  return resent
}

/** Returns what prevents a resend now, so that a page offers only what the command accepts; null if nothing does or there is no delivery. */
export async function readResendObstacle(
  queryable: Queryable,
  key: { applicationId: string; transactionId: string },
): Promise<ResendObstacle | null> {
  const facts = await selectResendFacts(queryable, key, LIMIT)
  return facts ? obstacleOf(facts) : null
}

function obstacleOf(facts: ResendFactsRow): ResendObstacle | null {
  if (facts.hasWaitingResend) return 'resend_waiting'
  if (facts.isAttemptInProgress) return 'attempt_in_progress'
  if (facts.recentCount >= LIMIT.count) return { code: 'throttled', retryAfterMs: Math.max(1, facts.retryAfterMs ?? 1) }
  return null
}

const TESTS_PER_HOUR = 20
const LISTED_MAX = 5

type TestDeps = { pool: Pool; clock: Clock; sender: Pick<Sender, 'send'> }
type TestCommand = {
  applicationId: string
  url: string
  /** The result that the event reports. */
  status: 'SUCCESS' | 'FAILED'
  actor: PersonCommandActor
  secrets: readonly WebhookSecret[]
  copiesStatus: boolean
}

/**
 * Sends a test event, made, signed and sent as every other webhook, and returns its id once the receiver answered or the five seconds are
 * over. Its marks: `webhook-id` begins with `msg_test_`, `transactionId` with `test_`, and `message` says that it is a test. Its externalId is new,
 * so that a receiver that ignores the marks finds no order to credit, also when it reports SUCCESS. At most twenty per application and hour.
 */
export async function sendTestWebhook(
  { pool, clock, sender }: TestDeps,
  command: TestCommand,
): Promise<Result<{ testId: string }, 'not_permitted' | 'invalid_url' | 'throttled'>> {
  const { applicationId, url, status, actor, secrets, copiesStatus } = command
  const testId = randomUUID()
  const shown = hideSecrets(url)
  const stored = await runCommand<void, 'invalid_url' | 'throttled'>(pool, command, 'webhook:recover', async (trx) => {
    if (!/^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : '')) return err('invalid_url')
    if ((await countTestsOfHour(trx, applicationId)) >= TESTS_PER_HOUR) return err('throttled')
    await insertTest(trx, { applicationId, testId, url: shown, requestedBy: actor.id })
    return done({ action: 'webhook.test_sent', subject: testId, details: { url: shown, status } })
  })
  if (!stored.ok) return stored
  const body = testBody(testId, status, clock.now(), copiesStatus)
  const result = await sender.send(url, signWebhook(`msg_test_${testId}`, body, secrets, clock.now()), body)
  await storeTestResult(pool, applicationId, testId, result)
  return ok({ testId })
}

function testBody(testId: string, status: TestCommand['status'], now: Date, copiesStatus: boolean): string {
  const event = {
    externalId: testId,
    transactionId: `test_${testId}`,
    status,
    amountMinor: 10_000n,
    phoneNumber: '237600000000',
    operator: 'MOMOCM',
    message: 'TEST: aucune transaction / no transaction',
    finalAt: now.toISOString(),
  }
  return webhookPayload(event, copiesStatus)
}

/** The newest test events of an application, for its page. */
export async function listWebhookTests(queryable: Queryable, applicationId: string): Promise<WebhookTestDto[]> {
  const rows = await selectTests(queryable, applicationId, LISTED_MAX)
  return rows.map(({ testId, url, requestedBy, requestedAt, outcome, durationMs, ...rest }) => ({
    testId,
    url,
    requestedBy: requestedBy ?? '',
    requestedAt: requestedAt.toISOString(),
    result: outcome === null ? null : { ...rest, outcome, durationMs: durationMs ?? 0 },
  }))
}
