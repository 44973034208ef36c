// A reporter for node:test: what became of each file, a line of JSON each, for run.ts.
import path from 'node:path'
import type { TestEvent } from 'node:test/reporters'
import { z } from 'zod'

const FILES_SHOWN = 10

const fileResultSchema = z.object({ file: z.string(), tests: z.number(), failed: z.number(), durationMs: z.number() })
/** How many results a file of tests has, how many of them are failures, and how long it ran. */
export type FileResult = z.infer<typeof fileResultSchema>

/** Yields a `FileResult` for each file at the end of the run. */
export default async function* reportFiles(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const results = new Map<string, FileResult>()
  const resultOf = (file: string) => {
    const result = results.get(file) ?? { file, tests: 0, failed: 0, durationMs: 0 }
    results.set(file, result)
    return result
  }
  for await (const event of events) {
    if (event.type === 'test:summary' && event.data.file) resultOf(event.data.file).durationMs = event.data.duration_ms
    // The file that was started, not the one in which the test is written. A file without tests is reported as a test, and has no such entry.
    if ((event.type === 'test:pass' || event.type === 'test:fail') && 'entryFile' in event.data) {
      const result = resultOf(String(event.data.entryFile))
      result.tests++
      if (event.type === 'test:fail') result.failed++
    }
  }
  for (const result of results.values()) yield `${JSON.stringify(result)}\n`
}

/** Reads what the reporter has written. */
export function readFileResults(text: string): FileResult[] {
  const lines = text.split('\n').filter((line) => line !== '')
  return lines.map((line) => fileResultSchema.parse(JSON.parse(line)))
}

/** Returns the files (paths from the root) without a single result. A runner that loses one is not red otherwise. */
export function findFilesWithoutResults(files: readonly string[], results: readonly FileResult[]): string[] {
  const withResults = new Set(results.filter(({ tests }) => tests > 0).map(({ file }) => path.resolve(file)))
  return files.filter((file) => !withResults.has(path.resolve(file)))
}

/** Returns the files (paths from the root) that have a failed test. */
export function findFailedFiles(files: readonly string[], results: readonly FileResult[]): string[] {
  const failed = new Set(results.filter((result) => result.failed > 0).map(({ file }) => path.resolve(file)))
  return files.filter((file) => failed.has(path.resolve(file)))
}

/** Formats the sums of a run whose files may have run twice: of such a file, the second time counts. */
export function describeSums(first: readonly FileResult[], second: readonly FileResult[]): string {
  const last = new Map([...first, ...second].map((result) => [result.file, result])).values().toArray()
  const failed = last.reduce((sum, result) => sum + result.failed, 0)
  return `\n${last.reduce((sum, result) => sum + result.tests, 0) - failed} passed, ${failed} failed\n`
}

/** Formats the ten slowest files, slowest first. */
export function describeSlowestFiles(results: readonly FileResult[]): string {
  const slowest = results.toSorted((left, right) => right.durationMs - left.durationMs).slice(0, FILES_SHOWN)
  const lines = slowest.map(({ file, durationMs }) => `${(durationMs / 1_000).toFixed(1).padStart(7)} s  ${path.relative('', file)}\n`)
  return `\nSlowest files:\n${lines.join('')}`
}
