import { isReachable, onReachableChange, setServiceLost } from '#components/ui/link.tsx'
import { HELD_EVENT } from '#components/ui/use-router.ts'

/** A search is in the address, and a box of a filter is pressed again. */
const NOT_TYPED = ['search', 'checkbox', 'radio']

const touched = new Set<HTMLInputElement | HTMLTextAreaElement>()

function note(target: EventTarget | null): void {
  const isField = target instanceof HTMLTextAreaElement || (target instanceof HTMLInputElement && !NOT_TYPED.includes(target.type))
  if (isField) touched.add(target)
}

function onInput({ target }: Event): void {
  note(target)
}

/** Notes in which fields of the page somebody types. Returns the function that stops it. */
export function watchTyping(): () => void {
  // Somebody may have started typing before this script was loaded.
  note(document.activeElement)
  addEventListener('input', onInput, true)
  return () => removeEventListener('input', onInput, true)
}

/** Returns whether the page shows text that somebody typed and that leaving the page would lose. */
export function hasTypedText(): boolean {
  for (const field of touched) if (!field.isConnected) touched.delete(field)
  return [...touched].some(({ value }) => value !== '')
}

/** Statuses with which a proxy answers for a service that does not. */
const AWAY = new Set([502, 503, 504])
const PROBE_MS = 3_000
/** Next may ask for the present page again after a navigation was given up. If that fails too, it has to wait: giving up again would not end. */
const GIVE_UP_GAP_MS = 2_000

type Fetch = typeof globalThis.fetch

/**
 * Keeps the page when the service cannot be reached although the browser is online: a restart, a proxy without a service behind it, a network
 * that leads nowhere. Next asks for a page with `fetch` and, if that fails, loads the address as a document, so that the browser's error
 * page replaces everything that was typed. It has no hook for this, so its requests are watched here. Returns the function that ends it.
 * @param onRefresh Reads the page again; called once the service answers, if a refresh had failed.
 */
export function keepPage(onRefresh: () => void): () => void {
  const original: Fetch = globalThis.fetch
  let wantsRefresh = false
  let givenUpAtMs = Number.NEGATIVE_INFINITY
  let timer: ReturnType<typeof setTimeout> | undefined

  async function probe(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    if (!(await findService())) return
    if (wantsRefresh) onRefresh()
    wantsRefresh = false
  }
  function onChange(): void {
    if (isReachable()) clearTimeout(timer)
    else timer ??= setTimeout(() => void probe().finally(onChange), PROBE_MS)
  }
  const watched: Fetch = async (input, init) => {
    const href = hrefOfPage(input, init)
    if (href === undefined) return original(input, init)
    const answer = await original(input, init).catch((error: unknown) => {
      if (init?.signal?.aborted) throw error
      // Not reached: the page stays, and the frame says so.
      return undefined
    })
    if (answer && !AWAY.has(answer.status)) return answer
    setServiceLost(true)
    const isPresent = href === location.href
    if (isPresent && performance.now() - givenUpAtMs < GIVE_UP_GAP_MS) return untilReachable().then(() => watched(input, init))
    if (isPresent) wantsRefresh = true
    else dispatchEvent(new CustomEvent(HELD_EVENT, { detail: href }))
    givenUpAtMs = performance.now()
    // Next takes this for a change of the address by the page, so it abandons the navigation and shows what it has.
    history.replaceState(null, '', location.href)
    return new Promise<never>(() => undefined)
  }
  globalThis.fetch = watched
  const stop = onReachableChange(onChange)
  const onOnline = () => void probe()
  addEventListener('online', onOnline)
  return () => {
    globalThis.fetch = original
    stop()
    clearTimeout(timer)
    removeEventListener('online', onOnline)
  }
}

/** Asks the service for a file that costs it nothing, and returns whether it answered. */
export async function findService(): Promise<boolean> {
  // biome-ignore lint/plugin/no-silent-error: a request that fails is the answer, nothing is there.
  const answer = await fetch('/robots.txt', { cache: 'no-store' }).catch(() => undefined)
  const isThere = answer !== undefined && !AWAY.has(answer.status)
  setServiceLost(!isThere)
  return isThere
}

/** The address of the page that Next asks for; undefined for any other request. */
function hrefOfPage(input: Parameters<Fetch>[0], init: Parameters<Fetch>[1]): string | undefined {
  if (!(input instanceof URL) || new Headers(init?.headers).get('rsc') !== '1') return undefined
  const url = new URL(input)
  // Next adds this parameter against caches.
  url.searchParams.delete('_rsc')
  return url.href
}

function untilReachable(): Promise<void> {
  return new Promise((resolve) => {
    const stop = onReachableChange(() => {
      if (!isReachable()) return
      stop()
      resolve()
    })
  })
}
