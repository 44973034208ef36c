/** An expected outcome is a value; only bugs and broken infrastructure throw. */
export type Result<Value, Failure> = { ok: true; value: Value } | { ok: false; error: Failure }

/** Wraps the value of a command that succeeded. */
export function ok<Value>(value: Value): { ok: true; value: Value } {
  return { ok: true, value }
}

/** Wraps the reason why a command refused. */
export function err<Failure>(error: Failure): { ok: false; error: Failure } {
  return { ok: false, error }
}

/** Ends a switch over a closed set: a new member does not compile, an impossible value throws. */
export function assertNever(value: never): never {
  throw new Error(`Unexpected value: ${JSON.stringify(value)}`)
}
