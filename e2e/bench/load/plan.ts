/** One kind of request; the generator joins its pieces and counts lengths. */
export type Template = {
  /** Request line and headers up to Content-Length, without it. */
  head: string
  /** Pieces of the body around the externalId; absent: no body. */
  body?: { before: string; after: string }
}

/** One load run. Latencies are in microseconds, times in milliseconds. */
export type LoadPlan = {
  port: number
  connections: number
  warmUpMs: number
  durationMs: number
  /** Requests per second, regardless of the answers; absent: each connection sends as soon as it has its answer. */
  ratePerSecond?: number
  /** Each request takes one of these at random. */
  templates: Template[]
  /** Part of every right answer, besides status 200. */
  expects: string
}

/** The result. `answers` counts right answers from the very first on; the rates look at the measured time only. */
export type LoadResult = {
  answers: number
  problems: number
  firstProblem: string | undefined
  ratePerSecond: number
  p50Us: number
  p99Us: number
  p999Us: number
  /** CPU seconds of the generator per second. */
  generatorCpu: number
  /** How late the generator itself was, median; only at a fixed rate. */
  latenessP50Us: number
}
