import { AsyncLocalStorage } from 'node:async_hooks'
import { processWide } from '#server/process-wide.ts'

/** Notes from our own code behind Next to the front door about the current request. */
export type PageNotes = {
  /** True once any code of ours was reached. Until then a failure is one of Next, reading the request. */
  isReached: boolean
  /** The status that a page sets: Next has no 400 for pages. */
  status: number | undefined
  /** True once this request failed because the database is away. */
  isDatabaseAway?: boolean
  /** Ends the turn of this page among those that are rendered. */
  endTurn?: (() => void) | undefined
}

declare module '#server/process-wide.ts' {
  interface ProcessWideValues {
    pageNotes: AsyncLocalStorage<PageNotes>
  }
}

const store = () => processWide('pageNotes', () => new AsyncLocalStorage())

/** Runs Next's handler so that the code it calls can write these notes. */
export function runWithNotes<Value>(notes: PageNotes, work: () => Value): Value {
  return store().run(notes, work)
}

/** Notes that the request reached our own code: an error from now on is ours. */
export function noteReached(): void {
  const notes = store().getStore()
  if (notes) notes.isReached = true
}

/** True once the current request reached our own code, and where there is no front door that could tell. */
export function isReached(): boolean {
  return store().getStore()?.isReached ?? true
}

/** Sets this status instead of 200. Has no effect once the first bytes of the page have left. */
export function notePageStatus(status: number): void {
  const notes = store().getStore()
  if (notes) notes.status = status
}

/** Says that the request failed because the database is away: a reader whom no page has reached yet gets 503, and reads so. */
export function noteDatabaseAway(): void {
  const notes = store().getStore()
  if (notes) notes.isDatabaseAway = true
}

/** Says that the request now waits for something that limits itself, such as the check of a password: others may be rendered meanwhile. */
export function noteWaiting(): void {
  store().getStore()?.endTurn?.()
}
