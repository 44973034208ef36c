import type { ReferenceCause } from '#lib/reference.ts'
import { readReference } from './read-reference.ts'

/** A cause with every operation where it can happen. `key`: its place in the page of all errors. */
type CauseEverywhere = ReferenceCause & { key: string; operations: string[] }

/** Every cause once, by status. Operations that say the same with other examples share an entry. */
export function allCauses(): CauseEverywhere[] {
  const found = new Map<string, CauseEverywhere>()
  for (const operation of readReference().operations.values()) {
    for (const cause of operation.causes) {
      const same = found.get(cause.status + cause.cause)
      if (same) same.operations.push(operation.id)
      else found.set(cause.status + cause.cause, { ...cause, key: `${cause.status}-${cause.id}`, operations: [operation.id] })
    }
  }
  const causes = [...found.values()].sort((left, right) => left.status - right.status)
  const seen = new Map<string, number>()
  for (const cause of causes) {
    const place = (seen.get(cause.key) ?? 0) + 1
    seen.set(cause.key, place)
    if (place > 1) cause.key = `${cause.key}-${place}`
  }
  return causes
}
