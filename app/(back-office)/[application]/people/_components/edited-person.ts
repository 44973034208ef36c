import type { Role } from '#lib/permissions.ts'

/** A member as the dialogs show it. */
export type EditedPerson = { personId: string; name: string; roles: readonly Role[]; isActive: boolean; hasSecondFactor: boolean }
