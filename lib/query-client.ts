import { QueryClient } from '@tanstack/react-query'

/** How long data counts as fresh. Above zero, so that data the server just rendered is not fetched again immediately. */
const STALE_TIME_MS = 10_000

/** Returns a query client with the defaults of the back office; on the server, one per request. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: STALE_TIME_MS,
        // Refusals are not retried; a failed connection is retried twice.
        retry: (failures, error) => failures < 2 && !(error instanceof DataError && error.status < 500),
        refetchOnWindowFocus: true,
      },
      mutations: { retry: false },
    },
  })
}

/** An answer of a data address other than 200: the status and the code of its body. */
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
  const response = await fetch(address, { headers: { accept: 'application/json' }, ...(signal ? { signal } : {}) })
  if (!response.ok) {
    const body: unknown = await response.json().catch(() => null)
    const code = typeof body === 'object' && body !== null && 'code' in body && typeof body.code === 'string' ? body.code : 'unknown'
    throw new DataError(response.status, code)
  }
  return (await response.json()) as Dto
}
