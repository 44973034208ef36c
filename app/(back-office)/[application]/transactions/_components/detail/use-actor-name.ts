'use client'

import { useT } from '#components/ui/translations.tsx'
import type { ActorDto } from '#lib/transaction-detail.ts'

/** Returns the name of an actor, or its kind if it has no name. */
export function useActorName(): (actor: ActorDto) => string {
  const t = useT()
  return (actor) => actor.name ?? t(`transaction.actor.${actor.kind}`)
}
