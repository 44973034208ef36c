import type { IncomingMessage } from 'node:http'
import { PRODUCT_PLACES, paths } from '#lib/paths.ts'
import { isGuide } from '#lib/reference.ts'
import { readReference } from '#server/http/reference/read-reference.ts'
import { isReadable } from './refuse-before-next.ts'

/**
 * How a document is answered to a reader without a session.
 *
 * - `stored`: it is the same for every such reader with this theme and language; rendered once and kept.
 * - `sign_in`: the place of an application, which shows nothing without a session; `location` leads to the sign-in page and back.
 * - `none`: there is no such page.
 * - `rendered`: only Next knows.
 */
type PublicAnswer = { kind: 'stored' | 'none' | 'rendered' } | { kind: 'sign_in'; location: string }

/** Next's own client asks for parts of pages with these; a browser that opens a page sends none of them. */
const PART_HEADERS = ['rsc', 'next-action', 'next-router-prefetch', 'next-router-state-tree', 'next-router-segment-prefetch']

/**
 * Decides how a request without a session is answered, from its method, headers and address alone. Most such addresses need no render: an
 * anonymous client that asks for whatever comes to mind must not cost 20 ms of the event loop each time.
 */
export function publicAnswer({ method, headers, url = '/' }: IncomingMessage): PublicAnswer {
  const isDocument = (method === 'GET' || method === 'HEAD') && !PART_HEADERS.some((name) => headers[name] !== undefined)
  // An unreadable address is refused where it would go on to Next.
  if (!isDocument || !isReadable(url)) return { kind: 'rendered' }
  const { pathname, search, searchParams } = new URL(url, 'http://localhost')
  const [, first = '', second, ...rest] = pathname.split('/')
  if (pathname === '/') return { kind: 'sign_in', location: paths.signIn() }
  if (pathname === '/sign-in' && search === '') return { kind: 'stored' }
  if (first === 'docs') return { kind: isTopic(second, rest.length) ? (search === '' ? 'stored' : 'rendered') : 'none' }
  if (first === 'sign-in' || pathname.startsWith('/api/auth/') || pathname.startsWith('/api/back-office/')) return { kind: 'rendered' }
  if (PRODUCT_PLACES.has(first)) return { kind: 'none' }
  searchParams.delete('_rsc')
  const query = searchParams.toString()
  return { kind: 'sign_in', location: paths.signIn(query === '' ? pathname : `${pathname}?${query}`) }
}

/** Whether /docs/<topic> exists: the search, a guide or an operation. The guide of the first steps is /docs itself. */
function isTopic(topic: string | undefined, deeper: number): boolean {
  if (topic === undefined) return true
  if (deeper > 0 || topic === 'start') return false
  return topic === 'search' || isGuide(topic) || readReference().operations.has(topic)
}
