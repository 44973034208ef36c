import {
  CHANGE_PERMISSIONS,
  type ChangeFacts,
  type ChangeKindName,
  isChangeKind,
  type ProposedChangeDto,
} from '#lib/approvals/proposed-change.ts'
import { maskBankNumber } from '#lib/money/bank-number.ts'
import { can, mayDecideElsewhere } from '#lib/people/permissions.ts'
import type { PersonCommandActor } from '#server/audit/command-actor.ts'
import type { Queryable } from '#server/database/pool.ts'
import { findDecidingApplication } from '#server/people/second-person-store.ts'
import { refused } from './change-kind.ts'
import { type ChangeRow, selectChanges } from './change-store.ts'
import { KINDS, kindsConfirmedAlone } from './kinds.ts'

/** The list of a page: those that wait, and what was decided lately. */
const LISTED_MAX = 100

/**
 * Who could confirm what a person proposes. `isAlone`: nobody, so that nothing can be proposed. `isConfirmedElsewhere`: only administrators of the
 * application that runs the installation. `needsNobody`: the person who proposes, for what makes a secret of this sandbox.
 */
export type Confirmation = { isAlone: boolean; isConfirmedElsewhere: boolean; needsNobody: boolean }
type Command = { applicationId: string; kinds: readonly ChangeKindName[]; actor: PersonCommandActor }

/** Returns who could confirm changes of some kinds that this person proposes. */
export async function readConfirmation(queryable: Queryable, { applicationId, kinds, actor }: Command): Promise<Confirmation> {
  const permissions = [...new Set(kinds.map((kind) => CHANGE_PERMISSIONS[kind].confirm))]
  const deciding = await Promise.all(
    permissions.map((permission) => findDecidingApplication(queryable, { applicationId, permission, except: [actor.id] })),
  )
  const confirmedAlone = await kindsConfirmedAlone(queryable)
  const needsNobody = kinds.some((kind) => confirmedAlone.has(kind))
  const isAlone = !needsNobody && deciding.every((id) => id === undefined)
  return { isAlone, isConfirmedElsewhere: deciding.some((id) => id !== undefined) && !deciding.includes(applicationId), needsNobody }
}

/** Returns the changes of some kinds, those that wait first, each with what this person may do with it, and who could confirm more of them. */
export async function listChanges(queryable: Queryable, command: Command): Promise<Confirmation & { changes: ProposedChangeDto[] }> {
  const { applicationId, kinds, actor } = command
  const [rows, confirmation] = await Promise.all([
    selectChanges(queryable, { applicationId, kinds }, LISTED_MAX),
    readConfirmation(queryable, command),
  ])
  return { ...confirmation, changes: await describe(queryable, rows, actor) }
}

/**
 * Returns the changes of other applications that wait for an administrator of the application that runs the installation, because nobody else there may
 * decide them, and those that were decided in this way.
 */
export async function listChangesElsewhere(queryable: Queryable, actor: PersonCommandActor): Promise<ProposedChangeDto[]> {
  const kinds = Object.keys(CHANGE_PERMISSIONS).filter(isChangeKind)
  const decidable = kinds.filter((kind) => mayDecideElsewhere(actor.roles, CHANGE_PERMISSIONS[kind].confirm))
  return describe(queryable, await selectChanges(queryable, { installationId: actor.applicationId, kinds: decidable }, LISTED_MAX), actor)
}

async function describe(queryable: Queryable, rows: readonly ChangeRow[], actor: PersonCommandActor): Promise<ProposedChangeDto[]> {
  const known = rows.flatMap((row) => (isChangeKind(row.kind) ? [{ ...row, kind: row.kind }] : []))
  const confirmedAlone = await kindsConfirmedAlone(queryable)
  return Promise.all(known.map(async (row) => toDto(row, await readShown(queryable, row), { actor, confirmedAlone })))
}

type KnownRow = ChangeRow & { kind: ChangeKindName }
type Shown = Pick<ProposedChangeDto, 'before' | 'after' | 'obstacle'>

/** Returns what both people see: of a relative kind that waits, from the present value on. */
async function readShown(queryable: Queryable, row: KnownRow): Promise<Shown> {
  const { before, after } = row
  const { isRelative, bind } = KINDS[row.kind]
  if (stateOf(row) !== 'open') return { before, after: withoutNumber(after), obstacle: null }
  if (!isRelative) return { before, after, obstacle: null }
  const change = bind(row.payload)
  if (!change.ok) throw new Error(`The payload of change ${row.changeId} cannot be read`)
  const present = await change.value.read(queryable, row.applicationId)
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

type Viewer = { actor: PersonCommandActor; confirmedAlone: ReadonlySet<ChangeKindName> }

function toDto(row: KnownRow, shown: Shown, viewer: Viewer): ProposedChangeDto {
  const { applicationId, applicationName, changeId, kind, subject, reason, proposedAt, expiresAt, decidedAt, decidedBy, collection } = row
  return {
    application: { applicationId, name: applicationName },
    isDecidedElsewhere: row.isDecidedElsewhere,
    changeId,
    batchId: row.batchId,
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
    collection: collection === 'open' ? (row.proposedBy === viewer.actor.id ? 'yours' : 'others') : collection,
    mayDecide: mayDecide(row, viewer),
  }
}

function mayDecide(row: KnownRow, { actor, confirmedAlone }: Viewer): ProposedChangeDto['mayDecide'] {
  if (stateOf(row) !== 'open') return 'decided'
  if (row.proposedBy === actor.id) return confirmedAlone.has(row.kind) ? 'alone' : 'own_proposal'
  if (!can(actor.roles, CHANGE_PERMISSIONS[row.kind].confirm)) return 'not_permitted'
  // The subject of a change about a person is that person's id.
  if (row.subject === actor.id) return 'about_you'
  return true
}
