type CleanUp = () => Promise<unknown>

const pending = new Set<CleanUp>()

/** Registers a clean-up that also runs on Ctrl-C. Returns a function that runs it, at most once. */
export function leaveNothing(cleanUp: CleanUp): () => Promise<void> {
  pending.add(cleanUp)
  return async () => {
    if (pending.delete(cleanUp)) await cleanUp()
  }
}

/** Runs all registered clean-ups on SIGINT, SIGTERM and SIGHUP, then exits. */
export function endOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      const all = [...pending].toReversed()
      pending.clear()
      void Promise.allSettled(all.map((cleanUp) => cleanUp())).then(() => process.exit(130))
    })
  }
}
