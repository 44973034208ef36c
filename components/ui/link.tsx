'use client'

import { useRouter } from 'next/navigation'
import { type AnchorHTMLAttributes, type MouseEvent, useSyncExternalStore, useTransition } from 'react'

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

type Click = Pick<globalThis.MouseEvent, 'defaultPrevented' | 'button' | 'metaKey' | 'ctrlKey' | 'shiftKey' | 'altKey'>

/** Returns whether a click opens a link here: with a modifier key or another button it is for a new tab or window. */
export function isPlainClick({ defaultPrevented, button, metaKey, ctrlKey, shiftKey, altKey }: Click): boolean {
  return !defaultPrevented && button === 0 && !metaKey && !ctrlKey && !shiftKey && !altKey
}

type Props = AnchorHTMLAttributes<HTMLAnchorElement> & {
  href: string /** Off: the page stays where it is scrolled to. */
  scroll?: boolean /** No entry in the history. */
  isReplacing?: boolean
}

/**
 * A link within the product: a plain anchor that goes there without loading the whole page again. Pages are personal and never
 * prefetched, and without that machinery it weighs 3 KB less than next/link, on every page.
 */
export function Link({ href, scroll = true, isReplacing = false, onClick, ...rest }: Props) {
  const router = useRouter()
  const [isPending, startTransition] = useTransition()
  function follow(event: MouseEvent<HTMLAnchorElement>) {
    onClick?.(event)
    if (!isPlainClick(event)) return
    // If the service cannot be reached the frame keeps the page and offers the link again (frame/link-guard).
    if (!isReachable()) return
    event.preventDefault()
    // The link shows that it was pressed until the page has arrived, however slow the connection is.
    startTransition(() => (isReplacing ? router.replace(href, { scroll }) : router.push(href, { scroll })))
  }
  return <a href={href} onClick={follow} aria-busy={isPending || undefined} {...rest} />
}
