import { createTranslate } from '#lib/i18n/translate.ts'
import { transactionFilterSchema } from '#lib/schemas/list-filter.ts'
import type { Pool } from '#server/database/pool.ts'
import { MESSAGES } from '#server/messages.ts'
import { exportTransactions } from '#server/reports/export/export-transactions.ts'
import { makePerson } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'

/** Exports an application's list as CSV, to its end; returns the id of the export. */
export async function makeExport(pool: Pool, applicationId: string): Promise<string> {
  const { exportId, file } = must(
    await exportTransactions(
      { pool, reportPool: pool },
      {
        applicationId,
        applicationName: 'An application',
        businessZone: 'UTC',
        person: { id: await makePerson(pool, applicationId, ['finance']), name: 'A person', roles: ['finance'] },
        format: 'csv',
        filter: transactionFilterSchema.parse({}),
        transactionIds: null,
        columns: null,
        t: createTranslate('en', MESSAGES.en),
      },
    ),
  )
  for await (const piece of file) if (piece.length === 0) throw new Error('An empty piece of a file')
  return exportId
}
