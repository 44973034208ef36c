import type { Template } from './plan.ts'

/** A partner's load: it starts transactions and receives their webhooks. Times are in milliseconds. */
export type FlowPlan = {
  port: number
  connections: number
  /** A transaction is open from its request to its webhook. The most that are open at once. */
  openMax: number
  /** Requests per second, regardless of the service; absent: the next one as soon as fewer than `openMax` are open. */
  ratePerSecond?: number
  warmUpMs: number
  durationMs: number
  /** How long the last transactions may take after that. */
  drainLimitMs: number
  templates: Template[]
}

/** The result. Rate and delays are those of the measured time, counts those of the whole run. */
export type FlowResult = {
  accepted: number
  completed: number
  completedPerSecond: number
  /** Open transactions at the beginning and at the end of the measured time. */
  openBefore: number
  openAfter: number
  problems: number
  firstProblem: string | undefined
  /** From the response that accepts a transaction until its webhook. */
  delaysMs: { p50: number; p99: number; max: number }
}

/** Messages of the partner's process. `measuring` comes when the warm-up is over, and `measured` before the rest is waited for. */
export type FlowMessage =
  | { kind: 'listening'; port: number }
  | { kind: 'measuring' }
  | { kind: 'measured' }
  | { kind: 'ended'; result: FlowResult }
