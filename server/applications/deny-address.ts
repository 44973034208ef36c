import { err, ok, type Result } from '#lib/result.ts'
import { appendAudit } from '#server/audit/append-audit.ts'
import { type CommandActor, mayAct } from '#server/audit/command-actor.ts'
import type { Database } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { type NetworkProblem, parseNetwork } from './allow-list.ts'
import { deleteNetwork } from './application-store.ts'

/** Takes an address or a network off an application's allow list. It must be on it as such: part of a network cannot be taken out. */
export async function denyAddress(
  database: Database,
  command: { applicationId: string; network: string; actor: CommandActor },
): Promise<Result<void, 'not_permitted' | 'not_on_the_list' | NetworkProblem>> {
  const { applicationId, actor } = command
  if (!mayAct(actor, applicationId, 'access:change')) return err('not_permitted')
  const parsed = parseNetwork(command.network)
  if (!parsed.ok) return parsed
  return withTransaction(database, async (trx) => {
    if (!(await deleteNetwork(trx, applicationId, parsed.value))) return err('not_on_the_list')
    await appendAudit(trx, { applicationId, actor, action: 'address.denied', subject: parsed.value })
    return ok(undefined)
  })
}
