import { QueryClient } from '@tanstack/react-query'
import { inUseHeader } from './page-use.ts'

/** How long data counts as fresh. More than nothing, so that what the server just rendered is not fetched again at once. */
const STALE_TIME_MS = 10_000

/** A query client with the defaults of the back office; also made once per request on the server for prefetching. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: STALE_TIME_MS,
        // A refusal stays a refusal; a lost connection is worth two more tries.
        retry: (failures, error) => failures < 2 && !(error instanceof DataError && error.status < 500),
        refetchOnWindowFocus: true,
      },
      mutations: { retry: false },
    },
  })
}

/** What a data address answered when it was not 200: the status and the stable code of its body. */
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
 * Fetches one of the addresses of `paths.data`. The type is the page's DTO: the address is ours and answers exactly what the
 * server rendered first. Throws DataError when the answer is not 200.
 */
export async function fetchData<Dto>(address: string, signal?: AbortSignal): Promise<Dto> {
  const response = await fetch(address, { headers: { accept: 'application/json', ...inUseHeader() }, ...(signal ? { signal } : {}) })
  if (!response.ok) {
    // A proxy answered in our place: the status says enough.
    const body: unknown = await response.json().catch(() => null)
    const code = typeof body === 'object' && body !== null && 'code' in body && typeof body.code === 'string' ? body.code : 'unknown'
    throw new DataError(response.status, code)
  }
  return (await response.json()) as Dto
}
