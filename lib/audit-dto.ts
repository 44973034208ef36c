/** A value in the details of an entry. */
export type AuditValue = string | number | boolean | null | readonly AuditValue[] | { readonly [key: string]: AuditValue }

/** An entry of the audit record as pages show it. */
export type AuditEntryDto = {
  sequence: string
  at: string
  actor: { kind: 'api' | 'person' | 'operator' | 'system'; id: string | null; name: string | null }
  action: string
  subject: string
  /** The name of the person that the subject is, or that a change is about. */
  subjectName: string | null
  address: string | null
  details: { readonly [key: string]: AuditValue }
  /** Names of people whose ids are in the details. */
  names: Readonly<Record<string, string>>
}

/** What a part of the check found. Digests are hexadecimal. */
export type AuditCheck =
  | { isUnbroken: true; checkedUntil: string; isWhole: boolean; startedAt: string | null; headHash: string }
  | { isUnbroken: false; brokenAt: string; problem: 'entry_missing' | 'wrong_predecessor' | 'content_changed' }
