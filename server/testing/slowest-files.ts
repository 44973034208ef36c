// A reporter for node:test: prints the files that took longest, after the results of all files.
import path from 'node:path'
import type { TestEvent } from 'node:test/reporters'

const FILES_SHOWN = 10

/** Yields one paragraph at the end of the run: the ten slowest files, slowest first. */
export default async function* slowestFiles(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const durations: { file: string; durationMs: number }[] = []
  for await (const event of events) {
    if (event.type === 'test:summary' && event.data.file) durations.push({ file: event.data.file, durationMs: event.data.duration_ms })
  }
  const slowest = durations.toSorted((left, right) => right.durationMs - left.durationMs).slice(0, FILES_SHOWN)
  yield '\nSlowest files:\n'
  for (const { file, durationMs } of slowest) yield `${(durationMs / 1_000).toFixed(1).padStart(7)} s  ${path.relative('', file)}\n`
}
