type CleanUp = () => Promise<unknown>

const pending = new Set<CleanUp>()

/** Remembers what must be ended however this program ends; gives back how to end it, which does so once. */
export function leaveNothing(cleanUp: CleanUp): () => Promise<void> {
  pending.add(cleanUp)
  return async () => {
    if (pending.delete(cleanUp)) await cleanUp()
  }
}

/** On Ctrl-C and its relatives everything that was started is ended first. */
export function endOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      const all = [...pending].toReversed()
      pending.clear()
      void Promise.allSettled(all.map((cleanUp) => cleanUp())).then(() => process.exit(130))
    })
  }
}
