import type { Role } from '#lib/permissions.ts'

/** A member as the dialog for removing and blocking shows it. */
export type LeavingPerson = { personId: string; name: string; roles: readonly Role[]; isActive: boolean; isBlocked: boolean }
