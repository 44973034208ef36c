import type { Role } from '#lib/permissions.ts'

/** A member as the dialog for removing and suspending shows it. */
export type LeavingPerson = { personId: string; name: string; roles: readonly Role[]; isActive: boolean; isSuspended: boolean }
