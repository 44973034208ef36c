import { err, ok, type Result } from '#lib/result.ts'
import { appendAudit } from '#server/audit/append-audit.ts'
import { type CommandActor, mayAct } from '#server/audit/command-actor.ts'
import { lockApplication } from '#server/database/application-locks.ts'
import type { Database } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { type NetworkProblem, parseNetwork } from './allow-list.ts'
import { deleteNetwork, insertNetwork } from './application-store.ts'

/** Adds an address or a network to an application's allow list. Returns its canonical spelling. Adding an existing one changes nothing. */
export async function allowAddress(
  database: Database,
  command: { applicationId: string; network: string; note?: string; actor: CommandActor },
): Promise<Result<{ network: string }, 'not_permitted' | 'unknown_application' | NetworkProblem>> {
  const { applicationId, actor } = command
  if (!mayAct(actor, applicationId, 'access:change')) return err('not_permitted')
  const parsed = parseNetwork(command.network)
  if (!parsed.ok) return parsed
  const note = (command.note ?? '').replaceAll('\0', '').slice(0, 200)
  return withTransaction(database, async (trx) => {
    if (!(await lockApplication(trx, applicationId))) return err('unknown_application')
    if (await insertNetwork(trx, applicationId, parsed.value, note)) {
      await appendAudit(trx, { applicationId, actor, action: 'address.allowed', subject: parsed.value, details: { note } })
    }
    return ok({ network: parsed.value })
  })
}

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
