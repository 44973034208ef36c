'use client'

import { useT } from '#components/ui/translations.tsx'
import type { ActorDto } from '#lib/transaction-detail.ts'

/** The name of whoever did something, or what kind of actor it was where there is no name. */
export function useActorName(): (actor: ActorDto) => string {
  const t = useT()
  return (actor) => actor.name ?? t(`transaction.actor.${actor.kind}`)
}
