import { useSyncExternalStore } from 'react'
import type { RunVariable } from '#lib/partner/reference.ts'

type Ids = Partial<Record<RunVariable, string>>

const NONE: Ids = {}
const byApplication = new Map<string, Ids>()
const listeners = new Set<() => void>()

/** Offers the id to the other examples, until the document is left. Nothing of it is stored in the browser. */
export function rememberId(application: string, variable: RunVariable, id: string): void {
  byApplication.set(application, { ...byApplication.get(application), [variable]: id })
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Returns the ids of the last runs for an application. */
export function useRememberedIds(application: string): Ids {
  return useSyncExternalStore(
    subscribe,
    () => byApplication.get(application) ?? NONE,
    () => NONE,
  )
}
