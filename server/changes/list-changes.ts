import type { z } from 'zod'
import { CHANGE_PERMISSIONS, type ChangeKindName, isChangeKind, type ProposedChangeDto } from '#lib/approvals/proposed-change.ts'
import { can } from '#lib/people/permissions.ts'
import { rolesChangeSchema } from '#lib/schemas/proposal.ts'
import type { PersonCommandActor } from '#server/audit/command-actor.ts'
import type { Queryable } from '#server/database/pool.ts'
import { type ChangeRow, selectChanges, selectPayload } from './change-store.ts'

/** The list of a page: those that wait, and what was decided lately. */
const LISTED_MAX = 50

/** Returns the newest changes of some kinds, each with what this person may do with it. */
export async function listChanges(
  queryable: Queryable,
  request: { applicationId: string; kinds: readonly ChangeKindName[]; actor: PersonCommandActor },
): Promise<ProposedChangeDto[]> {
  const rows = await selectChanges(queryable, request.applicationId, request.kinds, LISTED_MAX)
  return rows.flatMap((row) => (isChangeKind(row.kind) ? [toDto(row, row.kind, request.actor)] : []))
}

function toDto(row: ChangeRow, kind: ChangeKindName, actor: PersonCommandActor): ProposedChangeDto {
  const { changeId, subject, before, after, reason, proposedAt, expiresAt, decidedAt } = row
  return {
    changeId,
    kind,
    subject,
    before,
    after,
    reason,
    state: row.outcome ?? (row.isExpired ? 'expired' : 'open'),
    proposedBy: { personId: row.proposedBy, name: row.proposerName },
    proposedAt: proposedAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
    decidedBy: row.decidedBy === null ? null : { personId: row.decidedBy, name: row.deciderName ?? '' },
    decidedAt: decidedAt?.toISOString() ?? null,
    collection: row.collection === 'open' ? (row.proposedBy === actor.id ? 'yours' : 'others') : row.collection,
    mayDecide: mayDecide(row, kind, actor),
  }
}

function mayDecide(row: ChangeRow, kind: ChangeKindName, actor: PersonCommandActor): ProposedChangeDto['mayDecide'] {
  if (row.outcome !== null || row.isExpired) return 'decided'
  if (row.proposedBy === actor.id) return 'own_proposal'
  if (!can(actor.roles, CHANGE_PERMISSIONS[kind].confirm)) return 'not_permitted'
  // The subject of a change about a person is that person's id.
  if (row.subject === actor.id) return 'about_you'
  return true
}

/** Returns the effect of an open change of roles; undefined for any other change. */
export async function readRolesChange(
  queryable: Queryable,
  applicationId: string,
  changeId: string,
): Promise<z.output<typeof rolesChangeSchema> | undefined> {
  const payload = await selectPayload(queryable, applicationId, changeId, 'person.roles')
  return payload === undefined ? undefined : rolesChangeSchema.parse(payload)
}
