import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import type { Config } from '#server/config.ts'
import { createOtlpExporter, type Exporter } from './otlp-exporter.ts'

/** The attributes of a transaction's span. Nothing about persons: no name, phone number or amount. */
type Payment = { applicationId: string; transactionId: string; operator: string; type: string }

type RequestFacts = { method: string; endpoint: string; status: number; applicationId: string | undefined }

/** A request that is answered now. */
type TracedRequest = {
  run<Value>(work: () => Promise<Value>): Promise<Value>
  end(facts: RequestFacts): void
}

export type Tracing = {
  /** Begins the span of a request; `traceparent` is the header that the partner sent. Undefined if it is not to be traced. */
  beginRequest(traceparent: string | undefined): TracedRequest | undefined
  /** The same intake, whose transactions begin their traces. */
  traceIntake<Item extends Payment, Outcome extends { kind: string; transactionId?: string }, Intake extends Submits<Item, Outcome>>(
    intake: Intake,
  ): Intake
  traceSettler<Item extends { transactionId: string; event: string }, Outcome, Settler extends Settles<Item, Outcome>>(
    settler: Settler,
  ): Settler
  /** Adds a call of an operator that ended now. */
  addCall(payment: Payment, kind: 'submit' | 'query', outcome: string, durationMs: number): void
  /** Makes an attempt of a webhook, with the header by which its receiver continues the trace. */
  traceWebhook<Outcome extends { outcome: string; httpStatus: number | null }>(
    delivery: { transactionId: string; applicationId: string; number: number | null },
    attempt: (headers: Record<string, string>) => Promise<Outcome>,
  ): Promise<Outcome>
  dropped(): number
  close(): Promise<void>
}

type Submits<Item, Outcome> = { submit(item: Item): Promise<Outcome> }
type Settles<Item, Outcome> = { settle(item: Item): Promise<Outcome> }

type SpanPlace = { traceId: string; spanId: string }
/** `isOurs`: no partner began the trace, so that the request joins that of its only transaction. */
type RequestPlace = SpanPlace & { isOurs: boolean; isRecorded: boolean }

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/

/**
 * Creates the tracing of this process. The id of a transaction's trace is the transaction's own, without dashes, and its first span has the
 * last eight bytes of it: every process knows both without storing anything, also after a crash, and a person who has a transaction finds
 * its trace.
 */
export function createTracing(settings: NonNullable<Config['traces']>): Tracing {
  const exporter = createOtlpExporter(settings)
  const current = new AsyncLocalStorage<RequestPlace>()
  const isSampled = ({ transactionId }: { transactionId: string }) => shareOf(transactionId) < settings.ratio

  return {
    beginRequest(traceparent) {
      const place = beginPlace(traceparent, settings.ratio)
      if (!place) return undefined
      const startMs = now()
      return {
        run: (work) => current.run(place, work),
        end(facts) {
          if (place.isRecorded) addRequest(exporter, place, startMs, facts, readTraceparent(traceparent)?.spanId)
        },
      }
    },
    traceIntake(intake) {
      const submit: typeof intake.submit = async (item) => {
        const place = current.getStore()
        const startMs = now()
        const outcome = await intake.submit(item)
        // An equal request that came before has started it under another id.
        const { transactionId } = outcome
        if (transactionId === undefined || !isSampled({ transactionId })) return outcome
        if (place?.isOurs) joinTrace(place, transactionId)
        addCommit(exporter, place, { ...item, transactionId }, outcome.kind, startMs)
        return outcome
      }
      return { ...intake, submit }
    },
    traceSettler(settler) {
      const settle: typeof settler.settle = async (item) => {
        const startMs = now()
        const outcome = await settler.settle(item)
        if (isSampled(item))
          addStep(exporter, item.transactionId, { name: 'settle', kind: 1, startMs, attributes: { 'countersign.event': item.event } })
        return outcome
      }
      return { ...settler, settle }
    },
    addCall(payment, kind, outcome, durationMs) {
      if (!isSampled(payment)) return
      const attributes = { ...attributesOf(payment), 'countersign.outcome': outcome }
      addStep(exporter, payment.transactionId, {
        name: `${kind} ${payment.operator}`,
        kind: 3,
        startMs: now() - durationMs,
        attributes,
        isFailed: outcome === 'unknown' || outcome === 'not_sent',
      })
    },
    async traceWebhook({ transactionId, applicationId, number }, attempt) {
      if (!isSampled({ transactionId })) return attempt({})
      const spanId = newSpanId()
      const startMs = now()
      const result = await attempt({ traceparent: `00-${traceIdOf(transactionId)}-${spanId}-01` })
      const attributes = {
        'countersign.application_id': applicationId,
        'countersign.outcome': result.outcome,
        ...(number === null ? {} : { 'countersign.attempt': number }),
        ...(result.httpStatus === null ? {} : { 'http.response.status_code': result.httpStatus }),
      }
      addStep(exporter, transactionId, { name: 'webhook', kind: 3, spanId, startMs, attributes, isFailed: result.httpStatus !== 200 })
      return result
    },
    dropped: () => exporter.dropped(),
    close: () => exporter.close(),
  }
}

/** Undefined if the partner says that its trace is not recorded. Without a partner's trace, the share of requests that is recorded. */
function beginPlace(traceparent: string | undefined, ratio: number): RequestPlace | undefined {
  const parent = readTraceparent(traceparent)
  if (parent) return { traceId: parent.traceId, spanId: newSpanId(), isOurs: false, isRecorded: parent.isSampled }
  return { traceId: randomBytes(16).toString('hex'), spanId: newSpanId(), isOurs: true, isRecorded: Math.random() < ratio }
}

/** A request whose first payment this is belongs to its trace; one with more than one payment keeps the trace of the first. */
function joinTrace(place: RequestPlace, transactionId: string): void {
  place.traceId = traceIdOf(transactionId)
  place.isOurs = false
  place.isRecorded = true
}

function addRequest(exporter: Exporter, place: RequestPlace, startMs: number, facts: RequestFacts, parentSpanId: string | undefined): void {
  exporter.add({
    traceId: place.traceId,
    spanId: place.spanId,
    parentSpanId,
    name: `${facts.method} ${facts.endpoint}`,
    kind: 2,
    startMs,
    endMs: now(),
    attributes: {
      'http.request.method': facts.method,
      'http.route': facts.endpoint,
      'http.response.status_code': facts.status,
      ...(facts.applicationId === undefined ? {} : { 'countersign.application_id': facts.applicationId }),
    },
    isFailed: facts.status >= 500,
  })
}

/** From the request for a new transaction to its commit: the first span of its trace, below or linked to that of its request. */
function addCommit(exporter: Exporter, place: RequestPlace | undefined, payment: Payment, outcome: string, startMs: number): void {
  const traceId = traceIdOf(payment.transactionId)
  const isBelow = place?.traceId === traceId
  exporter.add({
    traceId,
    // A repeated request is another span of the transaction that exists.
    spanId: outcome === 'created' ? firstSpanIdOf(payment.transactionId) : newSpanId(),
    parentSpanId: isBelow ? place.spanId : undefined,
    name: 'commit',
    kind: 1,
    startMs,
    endMs: now(),
    attributes: { ...attributesOf(payment), 'countersign.outcome': outcome },
    links: place && !isBelow ? [{ traceId: place.traceId, spanId: place.spanId }] : [],
  })
}

type Step = { name: string; kind: 1 | 3; spanId?: string; startMs: number; attributes: Record<string, string | number>; isFailed?: boolean }

/** Adds a later step of a transaction, which ends now. */
function addStep(exporter: Exporter, transactionId: string, { spanId = newSpanId(), ...step }: Step): void {
  exporter.add({ traceId: traceIdOf(transactionId), parentSpanId: firstSpanIdOf(transactionId), spanId, endMs: now(), ...step })
}

function attributesOf({ applicationId, operator, type }: Payment): Record<string, string> {
  return { 'countersign.application_id': applicationId, 'countersign.operator': operator, 'countersign.type': type }
}

function traceIdOf(transactionId: string): string {
  return transactionId.replaceAll('-', '')
}

function firstSpanIdOf(transactionId: string): string {
  return traceIdOf(transactionId).slice(16)
}

/** Between 0 and 1, the same in every process: from the part of the id that is random. */
function shareOf(transactionId: string): number {
  return Number.parseInt(transactionId.slice(-8), 16) / 2 ** 32
}

function readTraceparent(header: string | undefined): (SpanPlace & { isSampled: boolean }) | undefined {
  const [, traceId = '', spanId = '', flags = ''] = TRACEPARENT.exec(header ?? '') ?? []
  if (/^0*$/.test(traceId) || /^0*$/.test(spanId)) return undefined
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

function newSpanId(): string {
  return randomBytes(8).toString('hex')
}

/** Milliseconds since 1970 with their fractions, which Date does not have. */
function now(): number {
  return performance.timeOrigin + performance.now()
}
