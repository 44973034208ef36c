import { z } from 'zod'
import type { ShownPaymentPreview } from '#lib/payments/payment-preview.ts'
import type { Permission } from '#lib/people/permissions.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { batchCellsSchema, batchRowsSchema } from '#lib/schemas/batch.ts'
import { approvalFilterSchema, transactionFilterSchema } from '#lib/schemas/list-filter.ts'
import {
  apiCallFilterSchema,
  auditCheckSchema,
  operatorSchema,
  overviewQuerySchema,
  pivotQuerySchema,
  statementQuerySchema,
  suggestionQuerySchema,
  totalsQuerySchema,
  unconfirmedFilterSchema,
} from '#lib/schemas/page-address.ts'
import { beneficiaryQuerySchema, paymentPreviewSchema } from '#lib/schemas/payment.ts'
import { listBatchRows, readBatch } from '#server/approvals/batches.ts'
import { previewPayment } from '#server/approvals/evidence/preview-payment.ts'
import { listIntended } from '#server/approvals/intended/undo.ts'
import { listApprovals, readApproval, snapshotApprovals } from '#server/approvals/queue/queue.ts'
import type { BackOfficeActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { answerData } from '#server/back-office/data-route.ts'
import { takeChainCheck } from '#server/back-office/run-action.ts'
import { listDisturbed } from '#server/operators/availability/disturbed.ts'
import { listCalls } from '#server/partner-auth/recent-calls-store.ts'
import { checkAuditChain } from '#server/reports/audit/audit-record.ts'
import { readBatchRun } from '#server/reports/batches/read-batch-run.ts'
import { readBatchCells } from '#server/reports/batches/read-cells.ts'
import { suggestMatches } from '#server/reports/customers/customers.ts'
import { suggestPayees } from '#server/reports/customers/suggest-payees.ts'
import { toRecordFile } from '#server/reports/export/export-record.ts'
import { findExport, findExportByFile } from '#server/reports/export/stored-file.ts'
import { readInstallation } from '#server/reports/installation/read-installation.ts'
import { readOverview } from '#server/reports/overview/read-overview.ts'
import { readBalances } from '#server/reports/statements/read-balances.ts'
import { readStatement } from '#server/reports/statements/read-statement.ts'
import { readStatementLines } from '#server/reports/statements/read-statement-lines.ts'
import type { StatementRequest } from '#server/reports/statements/statement-periods.ts'
import { readPivot } from '#server/reports/totals/read-pivot.ts'
import { readTotals } from '#server/reports/totals/read-totals.ts'
import { readTransactionDetail } from '#server/reports/transaction-detail/transaction-detail.ts'
import { readTransactionList } from '#server/reports/transaction-search/search-transactions.ts'
import { readUnconfirmed } from '#server/reports/unconfirmed/read-unconfirmed.ts'
import { countWaiting, readWaiting } from '#server/reports/waiting/read-waiting.ts'
import { createFinder } from './match-path.ts'

/** As many as fit below a field. */
const BENEFICIARIES_MAX = 5
/** As many of each kind as fit under the search box. */
const SUGGESTIONS_MAX = 6

const uuid = z.uuid()
const nothing = z.object({})

/** Answers one address for one application; `segment` is the variable part of the path, empty where it has none. */
type Answer = (application: string, searchParams: URLSearchParams, segment: string) => Promise<Response>

/**
 * The addresses from which react-query refetches, each with its permission, the schema of its query and its reader. A fixed path is
 * above a variable one that would match it too. Addresses that answer files or stay open are in `file-table.ts`.
 */
const DATA: Readonly<Record<string, Answer>> = {
  approvals: data('approval:read', approvalFilterSchema, async (actor, filter) =>
    ok(await listApprovals(backOfficeRuntime().pool, actor, filter)),
  ),
  'approvals/snapshot': data('transaction:decide', approvalFilterSchema, async (actor, filter) =>
    ok(await snapshotApprovals(backOfficeRuntime().pool, actor, filter)),
  ),
  'approvals/[transactionId]': byId('approval:read', nothing, (actor, id) => {
    const { pool, clock } = backOfficeRuntime()
    return readApproval(pool, actor, id, clock.now())
  }),
  'approvals/batches/[batchId]': byId('approval:read', nothing, (actor, id) => readBatch(backOfficeRuntime().pool, actor, id)),
  'approvals/batches/[batchId]/rows': byId('approval:read', batchRowsSchema, (actor, id, query) =>
    listBatchRows(backOfficeRuntime().pool, actor, id, query),
  ),
  'audit/chain': data('audit:read', auditCheckSchema, async ({ applicationId }, { after }) => {
    // The application has checked enough parts for now.
    if (!takeChainCheck(applicationId)) return err('unavailable')
    return ok(await checkAuditChain(backOfficeRuntime().reportPool, applicationId, BigInt(after)))
  }),
  balances: data('balance:read', nothing, async (actor) => {
    const { pool, clock } = backOfficeRuntime()
    return ok(await readBalances(pool, actor, clock.now()))
  }),
  'balances/[operator]': data('statement:read', statementQuerySchema, async (actor, filter, segment) => {
    const asked = statementOf(actor, filter, segment)
    return asked.ok ? ok(await readStatement(backOfficeRuntime().reportPool, asked.value)) : asked
  }),
  'balances/[operator]/lines': data('statement:read', statementQuerySchema, async (actor, filter, segment) => {
    const asked = statementOf(actor, filter, segment)
    if (!asked.ok) return asked
    return ok(await readStatementLines(backOfficeRuntime().reportPool, { ...asked.value, kind: filter.kind, page: filter.page }))
  }),
  'batches/[batchId]/cells': byId('transaction:create', batchCellsSchema, ({ applicationId }, batchId, query) =>
    readBatchCells(backOfficeRuntime().pool, { applicationId, batchId }, query),
  ),
  'batches/[batchId]/run': byId('transaction:read', nothing, (actor, id) => readBatchRun(backOfficeRuntime().pool, actor, id)),
  beneficiaries: data('transaction:create', beneficiaryQuerySchema, async ({ applicationId }, { q, type }) =>
    ok(await suggestPayees(backOfficeRuntime().reportPool, applicationId, { typed: q, type }, BENEFICIARIES_MAX)),
  ),
  calls: data('sandbox:use', apiCallFilterSchema, async ({ applicationId, businessZone: zone }, filter) => {
    const { config, pool } = backOfficeRuntime()
    // Nothing is recorded elsewhere.
    return config.isSandbox ? ok(await listCalls(pool, { applicationId, filter, zone })) : err('not_found')
  }),
  // The export that made a file, by the file's SHA-256.
  exports: data('export:create', z.object({ sha256: z.string().regex(/^[0-9a-f]{64}$/) }), async ({ applicationId }, { sha256 }) =>
    ok({ export: (await findExportByFile(backOfficeRuntime().pool, applicationId, sha256)) ?? null }),
  ),
  'exports/[exportId]/record': byId('export:create', nothing, async ({ applicationId, applicationName }, id) => {
    const found = await findExport(backOfficeRuntime().pool, applicationId, id)
    return found && toRecordFile(applicationName, found)
  }),
  installation: data('installation:read', nothing, async ({ runsInstallation }) =>
    runsInstallation ? ok(await readInstallation(backOfficeRuntime().pool)) : err('not_found'),
  ),
  intended: data('transaction:decide', nothing, async (actor) => ok(await listIntended(backOfficeRuntime().pool, actor))),
  overview: data('overview:read', overviewQuerySchema, async (actor, { days }) => {
    const { reportPool, clock } = backOfficeRuntime()
    return ok(await readOverview(reportPool, actor, days, clock.now()))
  }),
  'payment-preview': data('transaction:create', paymentPreviewSchema, showPayment),
  suggestions: data('transaction:read', suggestionQuerySchema, async ({ applicationId }, { q }) =>
    ok(await suggestMatches(backOfficeRuntime().reportPool, applicationId, q, SUGGESTIONS_MAX)),
  ),
  totals: data('total:read', totalsQuerySchema, async (actor, query) => {
    const { reportPool, clock } = backOfficeRuntime()
    return ok(await readTotals(reportPool, actor, query, clock.now()))
  }),
  'totals/pivot': data('total:read', pivotQuerySchema, async (actor, query) => {
    const { reportPool, clock } = backOfficeRuntime()
    return ok(await readPivot(reportPool, actor, query, clock.now()))
  }),
  transactions: data('transaction:read', transactionFilterSchema, async (actor, filter) =>
    ok(await readTransactionList(backOfficeRuntime().reportPool, actor, filter)),
  ),
  'transactions/unconfirmed': data('transaction:read', unconfirmedFilterSchema, async ({ applicationId, id }, filter) => {
    const { reportPool, clock } = backOfficeRuntime()
    return ok(await readUnconfirmed(reportPool, { applicationId, viewerId: id, filter, now: clock.now() }))
  }),
  'transactions/[transactionId]': byId('transaction:read', nothing, ({ applicationId }, id) =>
    readTransactionDetail(backOfficeRuntime().pool, applicationId, id),
  ),
  waiting: data('overview:read', nothing, async (actor) => ok(await countWaiting(backOfficeRuntime().pool, actor))),
  'waiting/items': data('overview:read', nothing, async (actor) => ok(await readWaiting(backOfficeRuntime().pool, actor))),
}

const find = createFinder(DATA)

/** The answer for the segments of a path, and its variable segment; undefined if there is no such address. */
export function findData(path: readonly string[]): { answer: Answer; segment: string } | undefined {
  const found = find(path)
  return found && { answer: found.value, segment: Object.values(found.segments)[0] ?? '' }
}

function data<Schema extends z.ZodType>(
  permission: Permission,
  schema: Schema,
  read: (actor: BackOfficeActor, query: z.infer<Schema>, segment: string) => Promise<Result<unknown, string>>,
): Answer {
  return (application, searchParams, segment) =>
    answerData({ application, permission, schema, searchParams }, (actor, query) => read(actor, query, segment))
}

/** For a path with an id: `not_found` if it is not an id or the reader finds nothing. */
function byId<Schema extends z.ZodType>(
  permission: Permission,
  schema: Schema,
  read: (actor: BackOfficeActor, id: string, query: z.infer<Schema>) => Promise<unknown>,
): Answer {
  return data(permission, schema, async (actor, query, segment) => {
    const found = uuid.safeParse(segment).success ? await read(actor, segment, query) : undefined
    return found === undefined ? err('not_found') : ok(found)
  })
}

function statementOf(
  { applicationId, businessZone }: BackOfficeActor,
  filter: z.infer<typeof statementQuerySchema>,
  segment: string,
): Result<StatementRequest, 'not_found'> {
  const operator = operatorSchema.safeParse(segment)
  if (!operator.success) return err('not_found')
  return ok({ applicationId, businessZone, operator: operator.data, filter, now: backOfficeRuntime().clock.now() })
}

async function showPayment(
  actor: BackOfficeActor,
  { type, operator, phoneNumber, customerName, amount, from }: z.infer<typeof paymentPreviewSchema>,
): Promise<Result<ShownPaymentPreview, 'unavailable'>> {
  const runtime = backOfficeRuntime()
  const application = runtime.directory.find(actor.applicationId)
  // A new application is in the memory of each process within a second.
  if (!application) return err('unavailable')
  const payment = {
    type,
    operator,
    phoneNumber: phoneNumber ?? null,
    customerName: customerName ?? null,
    amountMinor: amount ?? null,
    originId: from ?? null,
  }
  const [preview, disturbed] = await Promise.all([
    previewPayment(runtime, { application, makerId: actor.id, payment, now: runtime.clock.now() }),
    listDisturbed(runtime.pool, actor.applicationId),
  ])
  const found = disturbed.find((direction) => direction.operator === operator && direction.type === type)
  return ok({ ...preview, disturbed: found ?? null })
}
