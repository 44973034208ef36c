/** The actor: a partner's program (its API user), a person, an operator, or the service. */
export type Actor = { kind: 'api' | 'person' | 'operator' | 'system'; id: string | null }

export const SYSTEM_ACTOR: Actor = { kind: 'system', id: null }
