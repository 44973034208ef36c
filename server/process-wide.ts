/**
 * The values that exist once per process, by name. The module that owns a value declares its type:
 * `declare module '#server/process-wide.ts' { interface ProcessWideValues { keyring: Keyring } }`. Two declarations of one
 * name with different types do not compile.
 */
// biome-ignore lint/suspicious/noEmptyInterface: the owners of the values add to it.
export interface ProcessWideValues {}

declare global {
  /** Only this file reads and writes it. */
  var countersignProcessWide: Partial<ProcessWideValues> | undefined
}

/**
 * The store is on `globalThis` because a module variable is not enough: Next bundles its own copies of our modules, so a
 * module that both the front door and a page import exists more than once in a process.
 */
function values(): Partial<ProcessWideValues> {
  globalThis.countersignProcessWide ??= {}
  return globalThis.countersignProcessWide
}

/** Sets a value of this process, in place of an earlier one. */
export function setProcessWide<Name extends keyof ProcessWideValues>(name: Name, value: ProcessWideValues[Name]): void {
  values()[name] = value
}

/** Returns a value of this process. The first call creates it. */
export function processWide<Name extends keyof ProcessWideValues>(
  name: Name,
  create: () => ProcessWideValues[Name],
): ProcessWideValues[Name] {
  const present = values()[name]
  if (present !== undefined) return present
  const created = create()
  setProcessWide(name, created)
  return created
}

/** Returns a value that the start of the process has set. Throws an Error with `advice`, which says what to do, when it was not set. */
export function requireProcessWide<Name extends keyof ProcessWideValues>(name: Name, advice: string): ProcessWideValues[Name] {
  const present = values()[name]
  if (present === undefined) throw new Error(advice)
  return present
}

/** Returns true if the start of the process has set this value. */
export function hasProcessWide(name: keyof ProcessWideValues): boolean {
  return values()[name] !== undefined
}

/** The error for a page or a route of Next in a process where neither `server/main.ts` nor `instrumentation.ts` has started the service. */
export const START_THE_SERVICE = 'No runtime in this process: start the service with `npm start`, or with `next start` in this folder.'
