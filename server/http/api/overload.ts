/**
 * Whether a queue turned the work away. By name: Next bundles its own copy of the class, so `instanceof` would not know an
 * error that the process's one queue threw.
 */
export function isOverloaded(error: unknown): boolean {
  return error instanceof Error && error.name === 'OverloadedError'
}
