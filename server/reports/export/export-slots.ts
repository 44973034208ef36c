import { processWide } from '#server/process-wide.ts'

/** One of the exports that may be in progress. */
type ExportSlot = {
  /** Frees the slot; a second call has no effect. */
  release(): void
}

/** Each export holds a connection and a view of the database for as long as the browser takes to read. */
const SLOTS_MAX = 4
const SLOTS_PER_APPLICATION = 2
/** Of the connections for reports; the others are for pages. */
const SHARE_OF_CONNECTIONS = 2 / 3

declare module '#server/process-wide.ts' {
  interface ProcessWideValues {
    /** The exports in progress, by application. */
    exportCounts: Map<string, number>
  }
}

/**
 * Takes a slot for an export of an application; undefined when it has two in progress or the process has as many as it may. One
 * application's readers, however slow, therefore always leave slots to the others.
 * @param connectionsMax How many connections the pool has that the export reads from.
 */
export function takeExportSlot(applicationId: string, connectionsMax: number): ExportSlot | undefined {
  const counts = processWide('exportCounts', () => new Map())
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0)
  const own = counts.get(applicationId) ?? 0
  const slots = Math.max(1, Math.min(SLOTS_MAX, Math.floor(connectionsMax * SHARE_OF_CONNECTIONS)))
  if (all >= slots || own >= Math.max(1, Math.min(SLOTS_PER_APPLICATION, slots - 1))) return undefined
  counts.set(applicationId, own + 1)
  let isHeld = true
  return {
    release() {
      if (!isHeld) return
      isHeld = false
      const left = (counts.get(applicationId) ?? 1) - 1
      if (left === 0) counts.delete(applicationId)
      else counts.set(applicationId, left)
    },
  }
}
