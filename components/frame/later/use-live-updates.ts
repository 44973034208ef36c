import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useTranslations } from '#components/ui/translations.tsx'
import { useRouter } from '#components/ui/use-router.ts'
import { paths } from '#lib/pages/paths.ts'
import { hasTypedText } from './keep-page.ts'

/** The query keys (lib/pages/queries.ts) that change with an application's transactions and money. */
const ROOTS: readonly string[] = ['transactions', 'approvals', 'overview', 'totals', 'balances']
const RETRY_FIRST_MS = 1_000
const RETRY_MAX_MS = 30_000
/** A busy application changes every second. A page is refreshed less often, but always after the last change. */
const REFRESH_GAP_MS = 2_000
const LOST_AFTER_MS = 4_000
const ENDED_WAIT_MS = 2_000

type Connection = 'live' | 'lost' | 'database_lost' | 'ended'

async function isDatabaseAway(answer: Response): Promise<boolean> {
  if (answer.status !== 503) return false
  // biome-ignore lint/plugin/no-silent-error: a proxy answered in our place: of the database nothing is known.
  const body: unknown = await answer.json().catch(() => null)
  return typeof body === 'object' && body !== null && 'code' in body && body.code === 'unavailable'
}

/**
 * Keeps the connection for live updates; returns its state. Reconnects automatically with increasing delays. `ended`: the session is over,
 * and the page shows text that a reload would lose.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one effect: its timers and listeners share their state
export function useLiveUpdates(application: string): Connection {
  const queryClient = useQueryClient()
  const router = useRouter()
  const { businessZone } = useTranslations()
  const [connection, setConnection] = useState<Connection>('live')
  // biome-ignore lint/complexity/noExcessiveLinesPerFunction: one connection: its timers and listeners share their state
  useEffect(() => {
    let source: EventSource | undefined
    let retryTimer: ReturnType<typeof setTimeout> | undefined
    let refreshTimer: ReturnType<typeof setTimeout> | undefined
    let lostTimer: ReturnType<typeof setTimeout> | undefined
    let retryMs = RETRY_FIRST_MS
    let refreshedAtMs = 0
    let isOver = false
    // Unknown at first: what the page shows was read before the connection.
    let seen: { proposals: string | undefined; close: string | undefined } | undefined
    let isServerPartOld = false

    function refresh() {
      refreshTimer = undefined
      refreshedAtMs = Date.now()
      if (isServerPartOld) router.refresh()
      isServerPartOld = false
      void queryClient.invalidateQueries({
        predicate: ({ queryKey: [root, of] }) => typeof root === 'string' && ROOTS.includes(root) && of === application,
      })
    }
    function onChange({ data }: MessageEvent<string>) {
      const [, zone, proposals, close] = data.split(' ')
      // The server's part of the page: its days, the proposals of people and what they have changed, and all pages of the close of day.
      // These are all that such a page shows, so they are read again at the first event too, as queries are: it may have changed before the connection.
      const isCloseOld = seen?.close !== close && location.pathname.startsWith(paths.close(application))
      const areProposalsOld = seen !== undefined && seen.proposals !== proposals
      isServerPartOld ||= (zone !== undefined && zone !== businessZone) || areProposalsOld || isCloseOld
      seen = { proposals, close }
      refreshTimer ??= setTimeout(refresh, Math.max(0, refreshedAtMs + REFRESH_GAP_MS - Date.now()))
    }
    function connect() {
      clearTimeout(retryTimer)
      source?.close()
      if (document.visibilityState === 'hidden') return
      source = new EventSource(paths.data(application, 'live'))
      source.addEventListener('hello', () => {
        retryMs = RETRY_FIRST_MS
        clearTimeout(lostTimer)
        lostTimer = undefined
        setConnection('live')
      })
      source.addEventListener('change', onChange)
      source.addEventListener('ended', () => {
        source?.close()
        retryTimer = setTimeout(() => askWhy(connect), ENDED_WAIT_MS)
      })
      source.addEventListener('error', () => {
        source?.close()
        lostTimer ??= setTimeout(() => {
          lostTimer = undefined
          setConnection((before) => (before === 'live' ? 'lost' : before))
          void askWhy()
        }, LOST_AFTER_MS)
        retryTimer = setTimeout(connect, retryMs * (0.75 + Math.random() / 2))
        retryMs = Math.min(RETRY_MAX_MS, retryMs * 2)
      })
    }
    // Signed out or blocked: a reload shows what the server allows now, unless it would lose what somebody typed. Or this page renewed
    // its session (a new password) and the new cookie had not arrived yet: then it reconnects.
    async function askWhy(isAllowed?: () => void) {
      // biome-ignore lint/plugin/no-silent-error: offline, and the connection is tried again.
      const answer = await fetch(paths.data(application, 'waiting'), { headers: { accept: 'application/json' } }).catch(() => undefined)
      if (isOver) return
      const lost = answer && (await isDatabaseAway(answer)) ? 'database_lost' : 'lost'
      setConnection((before) => (before === 'lost' || before === 'database_lost' ? lost : before))
      if (!answer || answer.status < 400 || answer.status >= 500) return isAllowed?.()
      if (answer.status !== 401 || !hasTypedText()) return location.reload()
      clearTimeout(retryTimer)
      addEventListener('focus', reconnect, { once: true })
      setConnection('ended')
    }
    function reconnect() {
      retryMs = RETRY_FIRST_MS
      connect()
    }
    connect()
    document.addEventListener('visibilitychange', reconnect)
    addEventListener('online', reconnect)
    return () => {
      isOver = true
      source?.close()
      for (const timer of [retryTimer, refreshTimer, lostTimer]) clearTimeout(timer)
      document.removeEventListener('visibilitychange', reconnect)
      removeEventListener('online', reconnect)
      removeEventListener('focus', reconnect)
    }
  }, [application, businessZone, queryClient, router])
  return connection
}
