import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { unexpectedCounts } from '#server/report-unexpected.ts'

/** The counters of this process, for Prometheus. Each web process has its own. */
export type Metrics = {
  countRequest(endpoint: string, status: number, durationMs: number): void
  /** Records the size of a batch of intake or settlement. */
  observeBatch(kind: BatchKind, size: number): void
  /** Records the outcome of a webhook attempt, operator call and the like, or of `count` of them (default 1). */
  countOutcome(kind: OutcomeKind, outcome: string, count?: number): void
  /** Adds a value that is read at each scrape: the depth of a queue, the connections of a pool. */
  addGauge(name: string, help: string, read: () => number): void
  /** Adds several values of one label, which are read at each scrape; a label that is not returned is absent. `read` never rejects. */
  addGauges(name: string, gauges: { help: string; label: string; read: () => Promise<Readonly<Record<string, number>>> }): void
  /** Adds how often processes of this service crashed and were restarted, by process. */
  addCrashes(crashes: Readonly<Record<string, number>>): void
  /** Returns the whole text in the exposition format. */
  write(): Promise<{ body: string; contentType: string }>
}

type BatchKind = 'intake' | 'settlement'
type OutcomeKind = 'webhook' | 'operator' | 'decision'

const LATENCY_BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const BATCH_BUCKETS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]

/** Creates the counters of one process, including memory, garbage collection and event loop lag. */
export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const registers = [registry]
  const batches = new Histogram({
    name: 'countersign_batch_size',
    help: 'Items per batch',
    labelNames: ['kind'],
    buckets: BATCH_BUCKETS,
    registers,
  })
  new Counter({
    name: 'countersign_unexpected_errors_total',
    help: 'Unexpected failures, by the place that reported them',
    labelNames: ['place'],
    registers,
    collect() {
      this.reset()
      for (const [place, count] of unexpectedCounts()) this.inc({ place }, count)
    },
  })
  const sizes = { intake: batches.labels('intake'), settlement: batches.labels('settlement') }

  return {
    countRequest: createRequestCounter(registers),
    observeBatch: (kind, size) => sizes[kind].observe(size),
    countOutcome: createOutcomeCounter(registers),
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
    addGauges(name, { help, label, read }) {
      new Gauge({
        name: `countersign_${name}`,
        help,
        labelNames: [label],
        registers,
        async collect() {
          const values = await read()
          this.reset()
          for (const [value, number] of Object.entries(values)) this.set({ [label]: value }, number)
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

/** Counts outcomes in plain maps, as requests are: a transaction has several. */
function createOutcomeCounter(registers: Registry[]): Metrics['countOutcome'] {
  const counts: Record<OutcomeKind, Map<string, number>> = { webhook: new Map(), operator: new Map(), decision: new Map() }
  new Counter({
    name: 'countersign_outcomes_total',
    help: 'Outcomes of calls to others, and of decisions made in the back office',
    labelNames: ['kind', 'outcome'],
    registers,
    collect() {
      this.reset()
      for (const [kind, byOutcome] of Object.entries(counts)) for (const [outcome, count] of byOutcome) this.inc({ kind, outcome }, count)
    },
  })
  return (kind, outcome, count = 1) => void counts[kind].set(outcome, (counts[kind].get(outcome) ?? 0) + count)
}

/** Counts requests in plain maps, which are read at each scrape, so that a request costs one look-up only. */
function createRequestCounter(registers: Registry[]): Metrics['countRequest'] {
  const counts = new Map<string, Map<number, number>>()
  const latencies = new Map<string, { observe(seconds: number): void }>()
  new Counter({
    name: 'countersign_http_requests_total',
    help: 'Answered requests',
    labelNames: ['endpoint', 'status'],
    registers,
    collect() {
      this.reset()
      for (const [endpoint, byStatus] of counts) for (const [status, count] of byStatus) this.inc({ endpoint, status }, count)
    },
  })
  const latency = new Histogram({
    name: 'countersign_http_request_seconds',
    help: 'Time from the head of a request to its answer',
    labelNames: ['endpoint'],
    buckets: LATENCY_BUCKETS_S,
    registers,
  })
  return (endpoint, status, durationMs) => {
    let byStatus = counts.get(endpoint)
    let seconds = latencies.get(endpoint)
    if (!byStatus || !seconds) {
      byStatus = new Map()
      seconds = latency.labels(endpoint)
      counts.set(endpoint, byStatus)
      latencies.set(endpoint, seconds)
    }
    byStatus.set(status, (byStatus.get(status) ?? 0) + 1)
    seconds.observe(durationMs / 1_000)
  }
}
