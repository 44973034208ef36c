import { err, ok, type Result } from '#lib/result.ts'
import type { SentPayment } from '#lib/schemas/payment.ts'
import type { TransactionStatus } from '#lib/transaction-status.ts'
import type { ApplicationSnapshot } from '#server/applications/snapshot.ts'
import type { CommandActor } from '#server/audit/command-actor.ts'
import type { Pool } from '#server/database/pool.ts'
import type { StartProblem } from './find-start-problems.ts'
import { deleteDraft } from './payment-drafts.ts'
import { type StartTransactionsDeps, startTransactions } from './start-transactions.ts'

type SendDeps = StartTransactionsDeps & { pool: Pool }

type SendCommand = {
  application: ApplicationSnapshot
  maker: Extract<CommandActor, { kind: 'person' }>
  payment: SentPayment
}

export type SendFailure = 'not_permitted' | 'application_disabled' | 'overloaded' | Exclude<StartProblem['kind'], 'external_id_repeated'>

/**
 * Starts one transaction of a maker, which waits for its checkers, and removes the draft it was. The same payment again returns the
 * transaction that it already is. A refusal of `origin_replaced` names the transaction that was quicker.
 */
export async function sendPayment(
  deps: SendDeps,
  { application, maker, payment }: SendCommand,
): Promise<Result<{ transactionId: string; status: TransactionStatus }, { code: SendFailure; transactionId?: string }>> {
  const { externalId, originId, type } = payment
  const started = await startTransactions(deps, {
    application,
    type,
    source: 'person',
    actor: maker,
    ...(originId === null ? {} : { originId }),
    requests: [
      {
        externalId,
        transferMethod: payment.operator,
        countryName: payment.country,
        customerName: payment.customerName,
        phoneNumber: payment.phoneNumber,
        amount: payment.amount,
        // No program waits for the result of what a person sends.
        webhookUrl: null,
      },
    ],
  })
  if (!started.ok) return err(toFailure(started.error))
  const [outcome] = started.value
  if (!outcome || outcome.kind === 'conflict') throw new Error('A single payment was started without a transaction')
  // Afterwards, because the transaction commits with those of others. If this is lost, no list shows the draft of a sent payment.
  await deleteDraft(deps.pool, { applicationId: application.applicationId, personId: maker.id, externalId })
  return ok({ transactionId: outcome.transactionId, status: outcome.status })
}

type StartError = Extract<Awaited<ReturnType<typeof startTransactions>>, { ok: false }>['error']

function toFailure(error: StartError): { code: SendFailure; transactionId?: string } {
  if (error.kind !== 'refused') return { code: error.kind }
  const [problem] = error.problems
  if (!problem || problem.kind === 'external_id_repeated') throw new Error('A single payment was refused without a reason')
  return problem.kind === 'origin_replaced' ? { code: problem.kind, transactionId: problem.transactionId } : { code: problem.kind }
}
