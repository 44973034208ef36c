import {
  CHANGE_PERMISSIONS,
  type ChangeFacts,
  type ChangeKindName,
  isChangeKind,
  type ProposedChangeDto,
} from '#lib/approvals/proposed-change.ts'
import { maskBankNumber } from '#lib/money/bank-number.ts'
import { can } from '#lib/people/permissions.ts'
import type { PersonCommandActor } from '#server/audit/command-actor.ts'
import type { Queryable } from '#server/database/pool.ts'
import { listActiveMembers } from '#server/people/person-store.ts'
import { refused } from './change-kind.ts'
import { type ChangeRow, selectChanges } from './change-store.ts'
import { KINDS } from './kinds.ts'

/** The list of a page: those that wait, and what was decided lately. */
const LISTED_MAX = 100

/** `isAlone`: nobody else could confirm such a change, so that none can be proposed. */
type Listing = { changes: ProposedChangeDto[]; isAlone: boolean }

/** Returns the changes of some kinds, those that wait first, each with what this person may do with it. */
export async function listChanges(
  queryable: Queryable,
  { applicationId, kinds, actor }: { applicationId: string; kinds: readonly ChangeKindName[]; actor: PersonCommandActor },
): Promise<Listing> {
  const [rows, members] = await Promise.all([
    selectChanges(queryable, applicationId, kinds, LISTED_MAX),
    listActiveMembers(queryable, applicationId),
  ])
  const known = rows.flatMap((row) => (isChangeKind(row.kind) ? [{ ...row, kind: row.kind }] : []))
  const changes = known.map(async (row) => toDto(row, await readShown(queryable, applicationId, row), actor))
  const mayConfirm = members.filter(({ roles }) => kinds.some((kind) => can(roles, CHANGE_PERMISSIONS[kind].confirm)))
  return { changes: await Promise.all(changes), isAlone: !mayConfirm.some(({ personId }) => personId !== actor.id) }
}

type KnownRow = ChangeRow & { kind: ChangeKindName }
type Shown = Pick<ProposedChangeDto, 'before' | 'after' | 'obstacle'>

/** Returns what both people see: of a relative kind that waits, from the present value on. */
async function readShown(queryable: Queryable, applicationId: string, row: KnownRow): Promise<Shown> {
  const { before, after } = row
  const { isRelative, bind } = KINDS[row.kind]
  if (stateOf(row) !== 'open') return { before, after: withoutNumber(after), obstacle: null }
  if (!isRelative) return { before, after, obstacle: null }
  const change = bind(row.payload)
  if (!change.ok) throw new Error(`The payload of change ${row.changeId} cannot be read`)
  const present = await change.value.read(queryable, applicationId)
  if (!present.ok) return { before, after, obstacle: refused(present.error).error.reason }
  return { ...present.value, obstacle: present.value.obstacle ?? null }
}

/** The whole number of a bank account is for the person who compares it before the decision. */
function withoutNumber(after: ChangeFacts): ChangeFacts {
  const { bankNumber } = after
  return typeof bankNumber === 'string' ? { ...after, bankNumber: maskBankNumber(bankNumber) } : after
}

function stateOf({ outcome, isExpired }: ChangeRow): ProposedChangeDto['state'] {
  return outcome ?? (isExpired ? 'expired' : 'open')
}

function toDto(row: KnownRow, shown: Shown, actor: PersonCommandActor): ProposedChangeDto {
  const { changeId, kind, subject, reason, proposedAt, expiresAt, decidedAt, decidedBy, collection } = row
  return {
    changeId,
    kind,
    subject,
    ...shown,
    reason,
    state: stateOf(row),
    proposedBy: { personId: row.proposedBy, name: row.proposerName },
    proposedAt: proposedAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
    decidedBy: decidedBy === null ? null : { personId: decidedBy, name: row.deciderName ?? '' },
    decidedAt: decidedAt?.toISOString() ?? null,
    collection: collection === 'open' ? (row.proposedBy === actor.id ? 'yours' : 'others') : collection,
    mayDecide: mayDecide(row, actor),
  }
}

function mayDecide(row: KnownRow, actor: PersonCommandActor): ProposedChangeDto['mayDecide'] {
  if (stateOf(row) !== 'open') return 'decided'
  if (row.proposedBy === actor.id) return 'own_proposal'
  if (!can(actor.roles, CHANGE_PERMISSIONS[row.kind].confirm)) return 'not_permitted'
  // The subject of a change about a person is that person's id.
  if (row.subject === actor.id) return 'about_you'
  return true
}
