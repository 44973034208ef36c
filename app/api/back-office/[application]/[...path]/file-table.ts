import type { NextRequest } from 'next/server'
import * as accountChecks from '../account-checks/handler.ts'
import * as attachmentsFileIdComplete from '../attachments/[fileId]/complete/handler.ts'
import * as attachmentsFileIdPieces from '../attachments/[fileId]/pieces/handler.ts'
import * as attachments from '../attachments/handler.ts'
import * as auditExport from '../audit/export/handler.ts'
import * as balancesOperatorExport from '../balances/[operator]/export/handler.ts'
import * as balancesExport from '../balances/export/handler.ts'
import * as batchesBatchIdResults from '../batches/[batchId]/results/handler.ts'
import * as batchesBatchIdRows from '../batches/[batchId]/rows/handler.ts'
import * as batches from '../batches/handler.ts'
import * as batchesTemplate from '../batches/template/handler.ts'
import * as beneficiariesImport from '../beneficiaries/import/handler.ts'
import * as certificates from '../certificates/handler.ts'
import * as certificatesKeys from '../certificates/keys/handler.ts'
import * as daysWalletDayDifference from '../days/[wallet]/[day]/difference/handler.ts'
import * as exportsExportIdFile from '../exports/[exportId]/file/handler.ts'
import * as feesWalletClaim from '../fees/[wallet]/claim/handler.ts'
import * as journal from '../journal/handler.ts'
import * as linksLinkIdCode from '../links/[linkId]/code/handler.ts'
import * as live from '../live/handler.ts'
import * as settlementsWalletDayExport from '../settlements/[wallet]/[day]/export/handler.ts'
import * as statementsFileIdBadRows from '../statements/[fileId]/bad-rows/handler.ts'
import * as statementsFileIdComplete from '../statements/[fileId]/complete/handler.ts'
import * as statementsFileIdPieces from '../statements/[fileId]/pieces/handler.ts'
import * as statements from '../statements/handler.ts'
import * as totalsExport from '../totals/export/handler.ts'
import * as totalsPivotExport from '../totals/pivot/export/handler.ts'
import * as transactionsTransactionIdAttachment from '../transactions/[transactionId]/attachment/handler.ts'
import * as transactionsExport from '../transactions/export/handler.ts'
import * as transactionsUnconfirmedExport from '../transactions/unconfirmed/export/handler.ts'
import { createFinder } from './match-path.ts'

/** The methods of one address, as Next would call them. Written as methods, so that each handler can name the parts of its own path. */
type Handlers = {
  GET?(request: NextRequest, context: { params: Promise<object> }): Promise<Response>
  POST?(request: NextRequest, context: { params: Promise<object> }): Promise<Response>
}

/**
 * The addresses that answer files, take uploads or stay open, each in the folder of its path. They are one route of Next: the build copies
 * the code that routes share into every one of them, and 29 copies were 30 MB of the process.
 */
const FILES: Readonly<Record<string, Handlers>> = {
  'account-checks': accountChecks,
  attachments,
  'attachments/[fileId]/complete': attachmentsFileIdComplete,
  'attachments/[fileId]/pieces': attachmentsFileIdPieces,
  'audit/export': auditExport,
  'balances/export': balancesExport,
  'balances/[operator]/export': balancesOperatorExport,
  batches,
  'batches/template': batchesTemplate,
  'batches/[batchId]/results': batchesBatchIdResults,
  'batches/[batchId]/rows': batchesBatchIdRows,
  'beneficiaries/import': beneficiariesImport,
  certificates,
  'certificates/keys': certificatesKeys,
  'days/[wallet]/[day]/difference': daysWalletDayDifference,
  'exports/[exportId]/file': exportsExportIdFile,
  'fees/[wallet]/claim': feesWalletClaim,
  journal,
  'links/[linkId]/code': linksLinkIdCode,
  live,
  'settlements/[wallet]/[day]/export': settlementsWalletDayExport,
  statements,
  'statements/[fileId]/bad-rows': statementsFileIdBadRows,
  'statements/[fileId]/complete': statementsFileIdComplete,
  'statements/[fileId]/pieces': statementsFileIdPieces,
  'totals/export': totalsExport,
  'totals/pivot/export': totalsPivotExport,
  'transactions/export': transactionsExport,
  'transactions/unconfirmed/export': transactionsUnconfirmedExport,
  'transactions/[transactionId]/attachment': transactionsTransactionIdAttachment,
}

/** Returns the handlers for the segments of a path, and its variable segments by name; undefined if there is no such address. */
export const findFile = createFinder(FILES)
