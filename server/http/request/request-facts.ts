import { AsyncLocalStorage } from 'node:async_hooks'
import { enterCallerAddress, runWithCallerAddress } from '#server/caller-address.ts'
import { processWide } from '#server/process-wide.ts'
import type { BodyBudget } from './body-budget.ts'

/** Facts of a request as it arrived, because Next hides or changes them on the way to a handler. */
export type RequestFacts = {
  peerAddress: string | undefined
  /** Whether the request came with the marks of a proxy; Next adds such marks of its own. */
  isForwarded: boolean
  /** The target as it arrived; Next repairs what it cannot decode. */
  url: string
  /** The budget shared by all bodies of the process. */
  budget: BodyBudget
}

declare module '#server/process-wide.ts' {
  interface ProcessWideValues {
    requestFacts: AsyncLocalStorage<RequestFacts>
  }
}

const store = () => processWide('requestFacts', () => new AsyncLocalStorage())

/** Runs Next's handler so that everything it calls can read these facts. */
export function runWithFacts<Value>(facts: RequestFacts, work: () => Value): Value {
  return store().run(facts, () => runWithCallerAddress(facts.peerAddress, work))
}

/** Keeps these facts for everything that this turn of the event loop still calls: for a listener that cannot wrap the request's handler. */
export function enterFacts(facts: RequestFacts): void {
  store().enterWith(facts)
  enterCallerAddress(facts.peerAddress)
}

/** Returns the facts of the current request; undefined outside one. */
export function requestFacts(): RequestFacts | undefined {
  return store().getStore()
}

/** The address of the sender of the current request; undefined if it is unknown. */
export function currentPeerAddress(): string | undefined {
  return requestFacts()?.peerAddress
}
