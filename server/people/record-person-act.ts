import type { AuditAction } from '#lib/audit-actions.ts'
import { appendAuditEntries, SERVICE_WIDE } from '#server/audit/append-audit.ts'
import type { AuditDetails } from '#server/audit/canonical-text.ts'
import type { AuditActor } from '#server/audit/command-actor.ts'
import type { TrxClient } from '#server/database/pool.ts'
import { readActiveApplicationIds } from './person-store.ts'

type PersonAct = {
  personId: string
  /** Absent: the person. */
  actor?: AuditActor
  action: Extract<AuditAction, `person.${string}`>
  details?: AuditDetails
  /** A change of the account, which is recorded for the whole service as well; sign-ins are not. */
  isAccountChange: boolean
}

/**
 * Records what concerns a person's own account in the chain of each application in which they are an active member, because
 * the administrators there answer for them. Call it last in the transaction, like `appendAudit`.
 */
export async function recordPersonAct(trx: TrxClient, act: PersonAct): Promise<void> {
  const { personId, actor = { kind: 'person', id: personId }, action, details = {}, isAccountChange } = act
  const chains = await readActiveApplicationIds(trx, personId)
  if (isAccountChange || chains.length === 0) chains.push(SERVICE_WIDE)
  await appendAuditEntries(
    trx,
    chains.map((applicationId) => ({ applicationId, actor, action, subject: personId, details })),
  )
}
