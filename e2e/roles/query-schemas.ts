import { z } from 'zod'
import { ROW_FILTERS } from '#lib/batches/batches.ts'
import { EXPORT_FORMATS } from '#lib/payments/transactions/transaction-exports.ts'
import { journalFileSchema } from '#lib/reconciliation/journal.ts'
import { batchCellsSchema, batchRowsSchema } from '#lib/schemas/batch.ts'
import { approvalFilterSchema, transactionFilterSchema } from '#lib/schemas/list-filter.ts'
import {
  auditCheckSchema,
  auditExportSchema,
  balancesExportSchema,
  feeClaimSchema,
  overviewQuerySchema,
  pivotExportSchema,
  pivotQuerySchema,
  statementExportSchema,
  statementQuerySchema,
  suggestionQuerySchema,
  totalsExportSchema,
  totalsQuerySchema,
  unconfirmedExportSchema,
  unconfirmedFilterSchema,
} from '#lib/schemas/page-address.ts'
import { accountCheckSchema, attachmentViewSchema, beneficiaryQuerySchema, paymentPreviewSchema } from '#lib/schemas/payment.ts'
import type { readExactAddress } from '#lib/schemas/read-address.ts'

const FORMAT = z.object({ format: z.enum(EXPORT_FORMATS).optional() })

/** How each address reads its query. */
export const SCHEMAS: Readonly<Record<string, Parameters<typeof readExactAddress>[0]>> = {
  'GET /api/back-office/[application]/overview': overviewQuerySchema,
  'GET /api/back-office/[application]/transactions': transactionFilterSchema,
  'POST /api/back-office/[application]/transactions/export': transactionFilterSchema,
  'GET /api/back-office/[application]/approvals': approvalFilterSchema,
  'GET /api/back-office/[application]/approvals/snapshot': approvalFilterSchema,
  'GET /api/back-office/[application]/approvals/batches/[batchId]/rows': batchRowsSchema,
  'GET /api/back-office/[application]/totals': totalsQuerySchema,
  'GET /api/back-office/[application]/totals/pivot': pivotQuerySchema,
  'GET /api/back-office/[application]/transactions/unconfirmed': unconfirmedFilterSchema,
  'GET /api/back-office/[application]/transactions/unconfirmed/export': unconfirmedExportSchema,
  'GET /api/back-office/[application]/suggestions': suggestionQuerySchema,
  'GET /api/back-office/[application]/beneficiaries': beneficiaryQuerySchema,
  'GET /api/back-office/[application]/payment-preview': paymentPreviewSchema,
  'POST /api/back-office/[application]/account-checks': accountCheckSchema,
  'GET /api/back-office/[application]/transactions/[transactionId]/attachment': attachmentViewSchema,
  'GET /api/back-office/[application]/balances/export': balancesExportSchema,
  'GET /api/back-office/[application]/totals/export': totalsExportSchema,
  'GET /api/back-office/[application]/totals/pivot/export': pivotExportSchema,
  'GET /api/back-office/[application]/audit/chain': auditCheckSchema,
  'GET /api/back-office/[application]/audit/export': auditExportSchema,
  'GET /api/back-office/[application]/batches/template': z.object({ format: z.enum(['csv', 'xlsx']) }),
  'GET /api/back-office/[application]/batches/[batchId]/cells': batchCellsSchema,
  'GET /api/back-office/[application]/links/[linkId]/code': z.object({ format: z.enum(['svg', 'png']).default('svg') }),
  'GET /api/back-office/[application]/batches/[batchId]/rows': z.object({ show: z.enum(ROW_FILTERS).optional() }),
  'GET /api/back-office/[application]/balances/[operator]': statementQuerySchema,
  'GET /api/back-office/[application]/balances/[operator]/lines': statementQuerySchema,
  'GET /api/back-office/[application]/balances/[operator]/export': statementExportSchema,
  'GET /api/back-office/[application]/fees/[wallet]/claim': feeClaimSchema,
  'GET /api/back-office/[application]/journal': journalFileSchema,
  'GET /api/back-office/[application]/days/[wallet]/[day]/difference': FORMAT,
  'GET /api/back-office/[application]/settlements/[wallet]/[day]/export': FORMAT,
}
/** The names of all parameters that pages read from their address, and of some others. */
export const PARAMETERS = [
  ...new Set(
    [transactionFilterSchema, approvalFilterSchema, totalsQuerySchema, pivotQuerySchema, statementQuerySchema, overviewQuerySchema].flatMap(
      (schema) => Object.keys(schema.shape),
    ),
  ),
  ...['q', 'sha256', 'refused', 'next'],
]
