import { AsyncLocalStorage } from 'node:async_hooks'
import { processWide } from './process-wide.ts'

declare module '#server/process-wide.ts' {
  interface ProcessWideValues {
    callerAddress: AsyncLocalStorage<string | undefined>
  }
}

const store = () => processWide('callerAddress', () => new AsyncLocalStorage())

/** Runs `work` so that everything it calls knows from which address the current request came. */
export function runWithCallerAddress<Value>(address: string | undefined, work: () => Value): Value {
  return store().run(address, work)
}

/** The same for everything that this turn of the event loop still calls. */
export function enterCallerAddress(address: string | undefined): void {
  store().enterWith(address)
}

/** The address of the sender of the current request; undefined outside a request and where it is unknown. */
export function callerAddress(): string | undefined {
  return store().getStore()
}
