import { isAnythingLeft, type LeftBehind, type LeftChange, lostRoles } from '#lib/approvals/blocked-items.ts'
import { CHANGE_PERMISSIONS, isChangeKind } from '#lib/approvals/proposed-change.ts'
import { formatMinor } from '#lib/money/money.ts'
import { can, type Role } from '#lib/people/permissions.ts'
import { rolesChangeSchema } from '#lib/schemas/proposal.ts'
import type { Queryable } from '#server/database/pool.ts'
import { listActiveMembers, readMember } from '#server/people/person-store.ts'
import { countDrafts, type LeftItemRow, selectLeftItems, selectOpenChanges } from './left-behind-store.ts'

/** As many as a person reads; the number of all is with them. */
const LISTED_MAX = 20

/**
 * Returns the items that nobody could handle if a person lost these roles: transactions and batches that too few others could
 * decide, changes that they proposed or that only they could confirm, and their drafts. Items that nobody can handle even with them are not
 * included.
 */
export async function readLeftBehind(
  queryable: Queryable,
  { applicationId, personId, lost }: { applicationId: string; personId: string; lost: readonly Role[] },
): Promise<LeftBehind> {
  const rows = lost.includes('checker') ? await selectLeftItems(queryable, applicationId, personId, LISTED_MAX) : []
  const drafts = lost.includes('maker') ? await countDrafts(queryable, applicationId, personId) : { draftCount: 0, batchDraftCount: 0 }
  const changes = await readChanges(queryable, { applicationId, personId, lost })
  return { items: rows.map(toItem), itemCount: rows[0]?.total ?? 0, ...changes, ...drafts }
}

async function readChanges(
  queryable: Queryable,
  { applicationId, personId, lost }: { applicationId: string; personId: string; lost: readonly Role[] },
): Promise<Pick<LeftBehind, 'proposals' | 'onlyTheyConfirm'>> {
  const [open, members] = await Promise.all([selectOpenChanges(queryable, applicationId), listActiveMembers(queryable, applicationId)])
  const kept = members.find((member) => member.personId === personId)?.roles.filter((role) => !lost.includes(role)) ?? []
  const found: Pick<LeftBehind, 'proposals' | 'onlyTheyConfirm'> = { proposals: [], onlyTheyConfirm: [] }
  for (const { changeId, kind, subject, proposedBy, expiresAt } of open) {
    if (!isChangeKind(kind)) continue
    const change: LeftChange = { changeId, kind, subject, expiresAt: expiresAt.toISOString() }
    const needs = CHANGE_PERMISSIONS[kind]
    // The subject of a change about a person is that person's id, and they take no part in it.
    const confirmers = members.filter((each) => each.personId !== proposedBy && each.personId !== subject && can(each.roles, needs.confirm))
    if (proposedBy === personId && !can(kept, needs.propose)) found.proposals.push(change)
    else if (confirmers.length === 1 && confirmers[0]?.personId === personId && !can(kept, needs.confirm))
      found.onlyTheyConfirm.push(change)
  }
  return found
}

function toItem({ amountMinor, createdAt, expiresAt, total: _, ...item }: LeftItemRow): LeftBehind['items'][number] {
  return { ...item, amount: formatMinor(amountMinor), createdAt: createdAt.toISOString(), expiresAt: expiresAt.toISOString() }
}

/** Whether a change of roles or membership would leave something that nobody else could decide. False for every other kind of change. */
export async function leavesAnything(
  queryable: Queryable,
  change: { applicationId: string; kind: string; input: unknown },
): Promise<boolean> {
  const { applicationId } = change
  const after = rolesChangeSchema.safeParse(change.input)
  if (change.kind !== 'person.roles' || !after.success) return false
  const { personId } = after.data
  const member = await readMember(queryable, applicationId, personId)
  // A blocked person decides nothing today.
  if (!member || member.isBlocked) return false
  const lost = lostRoles(member, after.data)
  return lost.length > 0 && isAnythingLeft(await readLeftBehind(queryable, { applicationId, personId, lost }))
}
