import { QueryClient } from '@tanstack/react-query'
import { inUseHeader } from './page-use.ts'

/** How long data counts as fresh. More than nothing, so that what the server just rendered is not fetched again at once. */
const STALE_TIME_MS = 10_000
const RECOVERY_INTERVAL_MS = 5_000

/** A query client with the defaults of the back office; also made once per request on the server for prefetching. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: STALE_TIME_MS,
        // A refusal stays a refusal; a lost connection is worth two more tries.
        retry: (failures, error) => failures < 2 && !isRefusal(error),
        refetchOnWindowFocus: true,
        // Reads that failed on the server are repeated until one succeeds, so that an open page recovers automatically.
        refetchInterval: ({ state: { error } }) => (error === null || isRefusal(error) ? false : RECOVERY_INTERVAL_MS),
      },
      mutations: { retry: false },
    },
  })
}

function isRefusal(error: Error): boolean {
  return error instanceof DataError && error.status < 500
}

/** A data address did not answer with 200 and its data: the status and the stable code of the body; 502 if the data was something else. */
export class DataError extends Error {
  readonly status: number
  readonly code: string
  constructor(status: number, code: string) {
    super(`${status} ${code}`)
    this.name = 'DataError'
    this.status = status
    this.code = code
  }
}

/**
 * Fetches one of the addresses of `paths.data`. Throws DataError if the answer is not 200, or if it is not what `isDto` expects: then
 * something else than the page's own release answered, such as a proxy, and the request is repeated like one that failed.
 */
export async function fetchData<Dto>(address: string, isDto: (answer: unknown) => answer is Dto, signal?: AbortSignal): Promise<Dto> {
  const response = await fetch(address, { headers: { accept: 'application/json', ...inUseHeader() }, ...(signal ? { signal } : {}) })
  if (!response.ok) {
    // biome-ignore lint/plugin/no-silent-error: A proxy answered in our place: the status says enough.
    const body: unknown = await response.json().catch(() => null)
    const code = typeof body === 'object' && body !== null && 'code' in body && typeof body.code === 'string' ? body.code : 'unknown'
    throw new DataError(response.status, code)
  }
  const answer: unknown = await response.json()
  if (!isDto(answer)) throw new DataError(502, 'unreadable_answer')
  return answer
}

/** Returns a check that an answer is an object with these parts, which are those that a page cannot be drawn without. */
export function hasParts<Dto extends object>(...names: (keyof Dto & string)[]): (answer: unknown) => answer is Dto {
  return (answer): answer is Dto => typeof answer === 'object' && answer !== null && names.every((name) => name in answer)
}

/** Returns a check that an answer is a list of which each item passes `isItem`. */
export function isListOf<Item>(isItem: (answer: unknown) => answer is Item): (answer: unknown) => answer is Item[] {
  return (answer): answer is Item[] => Array.isArray(answer) && answer.every(isItem)
}
