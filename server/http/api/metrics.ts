import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { unexpectedCounts } from '#server/report-unexpected.ts'

/** What this process counts, for Prometheus. Each web process has its own. */
export type Metrics = {
  countRequest(endpoint: string, status: number, durationMs: number): void
  /** Told the size of each batch that intake or settlement ran. */
  observeBatch(kind: BatchKind, size: number): void
  /** Told the outcome of each webhook attempt, operator call and the like; of `count` of them at once (default 1). */
  countOutcome(kind: OutcomeKind, outcome: string, count?: number): void
  /** Adds a figure that is read when somebody looks: a queue's depth, a pool's connections. */
  addGauge(name: string, help: string, read: () => number): void
  /** Adds how often processes of this service crashed and were restarted, by process. */
  addCrashes(crashes: Readonly<Record<string, number>>): void
  /** The whole text in the exposition format. */
  write(): Promise<{ body: string; contentType: string }>
}

export type BatchKind = 'intake' | 'settlement'
export type OutcomeKind = 'webhook' | 'operator' | 'decision'

const LATENCY_BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const BATCH_BUCKETS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]

/** Makes the counters of one process, with memory, garbage collection and event loop lag included. */
export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const registers = [registry]
  // Counted in plain maps and handed over when somebody looks: the request path pays for one look-up only.
  const requestCounts = new Map<string, Map<number, number>>()
  new Counter({
    name: 'countersign_http_requests_total',
    help: 'Answered requests',
    labelNames: ['endpoint', 'status'],
    registers,
    collect() {
      this.reset()
      for (const [endpoint, byStatus] of requestCounts) for (const [status, count] of byStatus) this.inc({ endpoint, status }, count)
    },
  })
  const latency = new Histogram({
    name: 'countersign_http_request_seconds',
    help: 'Time from the head of a request to its answer',
    labelNames: ['endpoint'],
    buckets: LATENCY_BUCKETS_S,
    registers,
  })
  const latencies = new Map<string, { observe(seconds: number): void }>()
  const batches = new Histogram({
    name: 'countersign_batch_size',
    help: 'Items per batch',
    labelNames: ['kind'],
    buckets: BATCH_BUCKETS,
    registers,
  })
  new Counter({
    name: 'countersign_unexpected_errors_total',
    help: 'Failures that nobody expects, by the place that reported them',
    labelNames: ['place'],
    registers,
    collect() {
      this.reset()
      for (const [place, count] of unexpectedCounts()) this.inc({ place }, count)
    },
  })
  const outcomes = new Counter({
    name: 'countersign_outcomes_total',
    help: 'Outcomes of calls to others, and of decisions made in the back office',
    labelNames: ['kind', 'outcome'],
    registers,
  })

  return {
    countRequest(endpoint, status, durationMs) {
      let byStatus = requestCounts.get(endpoint)
      let seconds = latencies.get(endpoint)
      if (!byStatus || !seconds) {
        byStatus = new Map()
        seconds = latency.labels(endpoint)
        requestCounts.set(endpoint, byStatus)
        latencies.set(endpoint, seconds)
      }
      byStatus.set(status, (byStatus.get(status) ?? 0) + 1)
      seconds.observe(durationMs / 1_000)
    },
    observeBatch: (kind, size) => batches.observe({ kind }, size),
    countOutcome: (kind, outcome, count = 1) => outcomes.inc({ kind, outcome }, count),
    addGauge(name, help, read) {
      new Gauge({
        name: `countersign_${name}`,
        help,
        registers,
        collect() {
          this.set(read())
        },
      })
    },
    addCrashes(crashes) {
      const counter = new Counter({
        name: 'countersign_crashes_total',
        help: 'Crashes after which the process was restarted',
        labelNames: ['process'],
        registers,
      })
      for (const [name, count] of Object.entries({ service: 0, ...crashes })) counter.inc({ process: name }, count)
    },
    write: async () => ({ body: await registry.metrics(), contentType: registry.contentType }),
  }
}
