import { setTimeout as delay } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { newPerson } from '#e2e/roles/callers.ts'
import { ROLES } from '#lib/people/permissions.ts'
import type { Pool } from '#server/database/pool.ts'

const PEOPLE = 8
/** Each person opens a page this often, and its data with it. */
const PAUSE_MS = 1_000
/** As open pages do after an event (components/frame/later/use-live-updates.ts). */
const REFRESH_GAP_MS = 2_000
/** The pages that they open in turn: those that change with every transaction. */
const PLACES = [
  { page: '/transactions', data: '/transactions' },
  { page: '', data: '/overview' },
  { page: '/approvals', data: '/approvals' },
  { page: '/balances', data: '/balances' },
  { page: '/totals', data: '/totals' },
  { page: '/batches', data: '/suggestions?q=essomba' },
] as const

/** How long one request took, in milliseconds. */
export type Visit = { address: string; ms: number }

/** People at work in the application: they open pages, and their open pages follow its changes. */
export type Crowd = {
  /** Opens pages until `isOver`; returns how long each page and each answer with data took, from when it was due. */
  work(isOver: () => boolean): Promise<Visit[]>
  close(): Promise<void>
}

/** Makes the people, signs them in and opens a live page for each. */
export async function openCrowd(pool: Pool, baseUrl: string, applicationId: string): Promise<Crowd> {
  const { rows } = await pool.query<{ slug: string }>('select slug from applications where application_id = $1', [applicationId])
  const slug = rows[0]?.slug ?? ''
  const agent = new Agent({ connections: PEOPLE * 4, keepAliveTimeout: 60_000 })
  const ending = new AbortController()
  const cookies: string[] = []
  for (let index = 0; index < PEOPLE; index++) cookies.push((await newPerson(baseUrl, pool, applicationId, ROLES)).cookie)
  const open = async (address: string, cookie: string) => {
    const answer = await request(baseUrl + address, { dispatcher: agent, headers: { cookie, accept: '*/*' } })
    await answer.body.dump({ limit: 50_000_000 })
    if (answer.statusCode !== 200) throw new Error(`${address} answered ${answer.statusCode}`)
  }
  const placeAt = (turn: number) => PLACES[turn % PLACES.length] ?? PLACES[0]
  const live = cookies.map((cookie, index) => {
    const { data } = placeAt(index)
    const refetch = () => open(`/api/back-office/${slug}${data}`, cookie)
    return follow(`${baseUrl}/api/back-office/${slug}/live`, cookie, refetch, ending.signal)
  })

  async function workOf(cookie: string, index: number, isOver: () => boolean): Promise<Visit[]> {
    const visits: Visit[] = []
    const time = async (address: string, dueMs: number) => {
      await open(address, cookie)
      visits.push({ address, ms: performance.now() - dueMs })
    }
    const startMs = performance.now() + (index * PAUSE_MS) / PEOPLE
    for (let turn = index; !isOver(); turn++) {
      const dueMs = startMs + (turn - index) * PAUSE_MS
      await delay(Math.max(0, dueMs - performance.now()))
      const { page, data } = placeAt(turn)
      await time(`/${slug}${page}`, dueMs)
      await time(`/api/back-office/${slug}${data}`, performance.now())
    }
    return visits
  }

  return {
    async work(isOver) {
      return (await Promise.all(cookies.map((cookie, index) => workOf(cookie, index, isOver)))).flat()
    },
    async close() {
      ending.abort()
      await Promise.all(live)
      await agent.destroy()
    },
  }
}

/** Reads an event stream like an open page, and refreshes its data after a change, at most every two seconds. */
async function follow(url: string, cookie: string, refetch: () => Promise<void>, signal: AbortSignal): Promise<void> {
  let refreshedAtMs = 0
  let refreshing: Promise<void> | undefined
  try {
    const answer = await fetch(url, { headers: { cookie, accept: 'text/event-stream' }, signal })
    if (!answer.ok || !answer.body) throw new Error(`${url} answered ${answer.status}`)
    for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) {
      if (!chunk.includes('event: change')) continue
      refreshing ??= delay(Math.max(0, refreshedAtMs + REFRESH_GAP_MS - performance.now()), undefined, { signal })
        .then(refetch)
        .finally(() => {
          refreshedAtMs = performance.now()
          refreshing = undefined
        })
      // A refused answer ends the run below, with the next event.
      refreshing.catch(() => undefined)
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}
