import { randomUUID } from 'node:crypto'
import { OPERATOR_CODES, OPERATORS } from '#lib/operators/operators.ts'
import { err, type Result } from '#lib/result.ts'
import { DEFAULT_POLICY_RULES } from '#lib/rules/approval-policy.ts'
import type { CommandActor } from '#server/audit/command-actor.ts'
import { done, runRecorded } from '#server/audit/run-command.ts'
import { generateWebhookSecret } from '#server/credentials/secrets.ts'
import type { Pool } from '#server/database/pool.ts'
import { insertApplication, insertFirstPolicy, insertWebhookSecret } from './application-store.ts'
import { checkTimeZone, type TimeZoneProblem } from './time-zone.ts'

type CreateApplication = {
  name: string
  actor: CommandActor
  requiresSecondFactor?: boolean
  copiesWebhookStatus?: boolean
  /** Its business time zone; UTC if left out, because all services are on, in every country. */
  timeZone?: string | undefined
}
type CreatedApplication = { applicationId: string; apiId: string; webhookSecret: string }

/**
 * Makes an application with its counters, its thirteen balances at zero, the default approval policy and a webhook
 * secret, which is returned only once. It has no key, no user and an empty allow list, so nobody can call yet.
 * Reserved for the machine administrator.
 */
export async function createApplication(
  pool: Pool,
  command: CreateApplication,
): Promise<Result<CreatedApplication, 'not_permitted' | 'invalid_name' | TimeZoneProblem>> {
  const name = command.name.trim()
  if (command.actor.kind !== 'system') return err('not_permitted')
  if (name.length < 1 || name.length > 200 || name.includes('\0')) return err('invalid_name')
  const { requiresSecondFactor = false, copiesWebhookStatus = false, timeZone = 'UTC' } = command
  const problem = await checkTimeZone(pool, timeZone)
  if (problem) return err(problem)
  const created = { applicationId: randomUUID(), apiId: randomUUID(), webhookSecret: generateWebhookSecret() }
  const books = OPERATOR_CODES.map((operator) => ({ operator, currency: OPERATORS[operator].country.currency }))
  const by = { applicationId: created.applicationId, actor: command.actor }
  return runRecorded<CreatedApplication, never>(pool, by, async (trx) => {
    await insertApplication(trx, { ...created, name, requiresSecondFactor, copiesWebhookStatus, timeZone }, books)
    await insertFirstPolicy(trx, created.applicationId, DEFAULT_POLICY_RULES)
    await insertWebhookSecret(trx, created.applicationId, randomUUID(), created.webhookSecret)
    return done({ action: 'application.created', subject: created.applicationId, details: { name, timeZone } }, created)
  })
}
