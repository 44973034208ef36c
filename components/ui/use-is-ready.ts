import { useSyncExternalStore } from 'react'

const subscribe = () => () => undefined

/**
 * Returns false while the server's markup has no script yet: until then, what somebody types or chooses would be lost. What the script adds
 * later is ready from its first render, so that it can have the focus.
 */
export function useIsReady(): boolean {
  return useSyncExternalStore(
    subscribe,
    () => true,
    () => false,
  )
}
