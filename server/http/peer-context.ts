import { AsyncLocalStorage } from 'node:async_hooks'

const KEY = Symbol.for('countersign.peer')

/**
 * Behind Next the caller's address is not to be had, and Next bundles its own copy of this module: the one store of the
 * process hangs on globalThis, where both copies find it.
 */
function store(): AsyncLocalStorage<string> {
  const holder = globalThis as { [KEY]?: AsyncLocalStorage<string> }
  holder[KEY] ??= new AsyncLocalStorage()
  return holder[KEY]
}

/** Runs Next's handler so that everything it calls can ask for the caller's address. */
export function runWithPeer<Value>(peerAddress: string | undefined, work: () => Value): Value {
  return peerAddress === undefined ? work() : store().run(peerAddress, work)
}

/** The address of whoever sent the request under way, as the front door saw it; undefined where there is no front door. */
export function currentPeerAddress(): string | undefined {
  return store().getStore()
}
