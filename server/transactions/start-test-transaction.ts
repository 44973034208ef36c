import { randomUUID } from 'node:crypto'
import { JsonNumber } from '#lib/json.ts'
import { OPERATORS, type OperatorCode } from '#lib/operators.ts'
import { err, ok, type Result } from '#lib/result.ts'
import type { SimulatedEnding } from '#lib/sandbox-tools.ts'
import { transactionRequestSchema } from '#lib/schemas/transaction-request.ts'
import type { TransactionType } from '#lib/transaction-status.ts'
import type { ApplicationSnapshot } from '#server/applications/snapshot.ts'
import { appendAudit } from '#server/audit/append-audit.ts'
import { mayAct, type PersonCommandActor } from '#server/audit/command-actor.ts'
import type { Pool } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { type StartTransactionsDeps, startTransactions } from './start-transactions.ts'

type TestTransaction = {
  application: ApplicationSnapshot
  isSandbox: boolean
  actor: PersonCommandActor
  /** In whose name it is started: the rules for programs apply. */
  apiUserId: string | undefined
  type: TransactionType
  operator: OperatorCode
  ending: SimulatedEnding
  amount: string
  webhookUrl: string
}

type TestFailure = 'not_a_sandbox' | 'not_permitted' | 'no_api_user' | 'invalid' | 'refused' | 'overloaded'

/**
 * Starts a transaction as a program of the application would, with the phone number that tells the simulated operator what to do. It is
 * read by the schema of the API and started by the command of the API, so every check, rule, fee and limit applies. In a sandbox only.
 */
export async function startTestTransaction(
  deps: StartTransactionsDeps & { pool: Pool },
  { application, isSandbox, actor, apiUserId, type, operator, ending, amount, webhookUrl }: TestTransaction,
): Promise<Result<{ transactionId: string }, TestFailure>> {
  const { applicationId } = application
  if (!isSandbox) return err('not_a_sandbox')
  if (!mayAct(actor, applicationId, 'sandbox:use')) return err('not_permitted')
  if (apiUserId === undefined) return err('no_api_user')
  const { dialCode, name: countryName } = OPERATORS[operator].country
  const request = transactionRequestSchema.safeParse({
    transferMethod: operator,
    countryName,
    customerName: 'Test',
    externalId: randomUUID(),
    phoneNumber: `${dialCode}700000${ending}`,
    amount: new JsonNumber(amount),
    webhookUrl,
  })
  if (!request.success) return err('invalid')
  const started = await startTransactions(deps, {
    application,
    type,
    source: 'api',
    actor: { kind: 'api', id: apiUserId },
    requests: [request.data],
  })
  if (!started.ok) return err(started.error.kind === 'overloaded' ? 'overloaded' : 'refused')
  const [outcome] = started.value
  if (!outcome || outcome.kind === 'conflict') return err('refused')
  const { transactionId } = outcome
  await withTransaction<null, never>(deps.pool, async (trx) => {
    await appendAudit(trx, {
      applicationId,
      actor,
      action: 'sandbox.transaction_started',
      subject: transactionId,
      details: { type, operator, ending },
    })
    return ok(null)
  })
  return ok({ transactionId })
}
