import type { AuditEntryDto } from '#lib/audit-dto.ts'
import { paths } from '#lib/paths.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/

/** The page of what an entry is about; null if there is none. */
export function subjectPath(application: string, { action, subject }: AuditEntryDto, memberIds: ReadonlySet<string>): string | null {
  if (!UUID.test(subject)) return null
  if (memberIds.has(subject)) return paths.person(application, subject)
  if (action.startsWith('transaction.') || action.startsWith('webhook.')) return paths.transaction(application, subject)
  if (action.startsWith('batch.') && action !== 'batch.discarded') return paths.batch(application, subject)
  return null
}
