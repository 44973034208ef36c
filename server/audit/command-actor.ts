import { can, type Permission, type Role } from '#lib/people/permissions.ts'

/** The actor of an entry, as stored. */
export type AuditActor = { kind: 'api' | 'person' | 'operator' | 'system'; id: string | null }

/**
 * The actor of a command that changes the configuration or the people: the machine's own administrator (the command line),
 * or a person whose roles in one application were just read from the database (`loadActor`).
 */
export type CommandActor = { kind: 'system'; id: null } | PersonCommandActor
export type PersonCommandActor = { kind: 'person'; id: string; applicationId: string; roles: readonly Role[] }

/** The actor of the command line and of scheduled work. */
export const SYSTEM_ACTOR: CommandActor = { kind: 'system', id: null }

/** Whether this actor may use this permission in this application. A person's roles count in their own application only. */
export function mayAct(actor: CommandActor, applicationId: string, permission: Permission): boolean {
  if (actor.kind === 'system') return true
  return actor.applicationId === applicationId && can(actor.roles, permission)
}
