import { randomUUID } from 'node:crypto'
import { hideSecrets } from '#lib/hide-secrets.ts'
import { err, ok, type Result } from '#lib/result.ts'
import type { Clock } from '#lib/time.ts'
import type { WebhookTestDto } from '#lib/webhook-portal.ts'
import { appendAudit } from '#server/audit/append-audit.ts'
import { mayAct, type PersonCommandActor } from '#server/audit/command-actor.ts'
import type { Pool, Queryable } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import type { Sender } from './send-webhook.ts'
import { signWebhook, type WebhookSecret } from './sign-webhook.ts'
import { webhookPayload } from './webhook-payload.ts'
import { countTestsOfHour, insertTest, selectTests, storeTestResult } from './webhook-test-store.ts'

const TESTS_PER_HOUR = 20
const LISTED_MAX = 5

type TestDeps = { pool: Pool; clock: Clock; sender: Pick<Sender, 'send'> }
type TestCommand = {
  applicationId: string
  url: string
  actor: PersonCommandActor
  secrets: readonly WebhookSecret[]
  copiesStatus: boolean
}

/**
 * Sends a test event, made, signed and sent as every other webhook, and returns its id once the receiver answered or the five seconds are
 * over. Its marks: `webhook-id` begins with `msg_test_`, `transactionId` with `test_`, `status` is FAILED and `message` says that it is a
 * test, so that a receiver that ignores the marks credits nobody. At most twenty per application and hour.
 */
export async function sendTestWebhook(
  { pool, clock, sender }: TestDeps,
  { applicationId, url, actor, secrets, copiesStatus }: TestCommand,
): Promise<Result<{ testId: string }, 'not_permitted' | 'invalid_url' | 'throttled'>> {
  if (!mayAct(actor, applicationId, 'webhook:recover')) return err('not_permitted')
  if (!/^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : '')) return err('invalid_url')
  const testId = randomUUID()
  const shown = hideSecrets(url)
  const stored = await withTransaction<null, 'throttled'>(pool, async (trx) => {
    if ((await countTestsOfHour(trx, applicationId)) >= TESTS_PER_HOUR) return err('throttled')
    await insertTest(trx, { applicationId, testId, url: shown, requestedBy: actor.id })
    await appendAudit(trx, { applicationId, actor, action: 'webhook.test_sent', subject: testId, details: { url: shown } })
    return ok(null)
  })
  if (!stored.ok) return stored
  const body = testBody(testId, clock.now(), copiesStatus)
  const result = await sender.send(url, signWebhook(`msg_test_${testId}`, body, secrets, clock.now()), body)
  await storeTestResult(pool, applicationId, testId, result)
  return ok({ testId })
}

function testBody(testId: string, now: Date, copiesStatus: boolean): string {
  const event = {
    externalId: testId,
    transactionId: `test_${testId}`,
    status: 'FAILED',
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
