import { err, type Result } from '#lib/result.ts'
import type { CommandActor } from '#server/audit/command-actor.ts'
import { done, runCommand } from '#server/audit/run-command.ts'
import { lockApplication } from '#server/database/application-locks.ts'
import type { Database } from '#server/database/pool.ts'
import { deleteNetwork, insertNetwork } from '../application-store.ts'
import { type NetworkProblem, parseNetwork } from './allow-list.ts'

/** Adds an address or a network to an application's allow list. Returns its canonical spelling. Adding an existing one changes nothing. */
export async function allowAddress(
  database: Database,
  command: { applicationId: string; network: string; note?: string; actor: CommandActor },
): Promise<Result<{ network: string }, 'not_permitted' | 'unknown_application' | NetworkProblem>> {
  const { applicationId } = command
  const note = (command.note ?? '').replaceAll('\0', '').slice(0, 200)
  return runCommand<{ network: string }, 'unknown_application' | NetworkProblem>(database, command, 'access:change', async (trx) => {
    const parsed = parseNetwork(command.network)
    if (!parsed.ok) return parsed
    const network = parsed.value
    if (!(await lockApplication(trx, applicationId))) return err('unknown_application')
    const isNew = await insertNetwork(trx, applicationId, network, note)
    return done(isNew ? { action: 'address.allowed', subject: network, details: { note } } : null, { network })
  })
}

/** Takes an address or a network off an application's allow list. It must be on it as such: part of a network cannot be taken out. */
export async function denyAddress(
  database: Database,
  command: { applicationId: string; network: string; actor: CommandActor },
): Promise<Result<void, 'not_permitted' | 'not_on_the_list' | NetworkProblem>> {
  return runCommand<void, 'not_on_the_list' | NetworkProblem>(database, command, 'access:change', async (trx) => {
    const parsed = parseNetwork(command.network)
    if (!parsed.ok) return parsed
    if (!(await deleteNetwork(trx, command.applicationId, parsed.value))) return err('not_on_the_list')
    return done({ action: 'address.denied', subject: parsed.value })
  })
}
