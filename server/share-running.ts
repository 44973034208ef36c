/**
 * Starts work that holds a connection for seconds, unless the same is in progress: then both get its result. Undefined: `isFull`, and nothing is
 * started.
 */
export function shareRunning<Value>(
  running: Map<string, Promise<Value>>,
  key: string,
  { isFull, work }: { isFull: () => boolean; work: () => Promise<Value> },
): Promise<Value> | undefined {
  const known = running.get(key)
  if (known) return known
  if (isFull()) return undefined
  const started = work().finally(() => running.delete(key))
  running.set(key, started)
  return started
}
