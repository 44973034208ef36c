import { journalCodesSchema } from '#lib/reconciliation/journal.ts'
import { ok } from '#lib/result.ts'
import { factsOfCodes, readCodesChange, setJournalCodes } from '#server/reconciliation/journal/journal-accounts.ts'
import { type ChangeKind, defineKind } from '../change-kind.ts'

/** The accounts of the journal: only in the application that runs the installation. */
const accounts: ChangeKind = defineKind({
  schema: journalCodesSchema,
  subjectOf: () => 'journal',
  async read(queryable, applicationId, codes) {
    const present = await readCodesChange(queryable, applicationId)
    return present.ok ? ok({ before: factsOfCodes(present.value), after: factsOfCodes(codes) }) : present
  },
  apply: (trx, { applicationId, payload: codes, changeId, actor }) => setJournalCodes(trx, { applicationId, codes, changeId, actor }),
})

export const JOURNAL_KINDS = { 'journal.accounts': accounts }
