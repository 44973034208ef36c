import { useSyncExternalStore } from 'react'

const EVENT = 'reachable'

let isServiceLost = false

/** Notes that the service does not answer although the browser is online, or that it answers again. */
export function setServiceLost(isLost: boolean): void {
  if (isLost === isServiceLost) return
  isServiceLost = isLost
  dispatchEvent(new Event(EVENT))
}

/** Whether a page could be opened now: the browser is online, and the service has not failed to answer. */
export function isReachable(): boolean {
  return navigator.onLine && !isServiceLost
}

/** Calls the listener when `isReachable` may have changed. Returns the function that ends it. */
export function onReachableChange(listener: () => void): () => void {
  for (const name of ['online', 'offline', EVENT]) addEventListener(name, listener)
  return () => {
    for (const name of ['online', 'offline', EVENT]) removeEventListener(name, listener)
  }
}

/** Returns `isReachable`, kept up to date; true on the server. */
export function useIsReachable(): boolean {
  return useSyncExternalStore(onReachableChange, isReachable, () => true)
}
