import type { BenchEnvironment } from '#e2e/bench/environment/environment.ts'
import type { ServerProcess } from '#e2e/bench/environment/server-process.ts'
import { residentMb } from '#e2e/bench/environment/usage.ts'
import type { Figure } from './figures.ts'
import type { Options } from './options.ts'

/** The context of every part. */
export type Context = {
  environment: BenchEnvironment
  options: Options
  /** Results that a later part builds on. */
  findings: { acceptRate?: number }
  /** Prints the progress. */
  say(line: string): void
}

/** A part of the run: measures, and returns its lines of the table. */
export type Part = {
  name: string
  /** True: runs only if it is named on the command line. */
  isOnRequest?: boolean
  run(context: Context): Promise<Figure[]>
}

const MEMORY_BAR_MB = 400

/** The resident size of the process after a part (bar: under 400 MB). */
export async function memoryFigure(part: string, server: ServerProcess): Promise<Figure> {
  return {
    name: `${part}: memory of the process`,
    value: await residentMb(server.pid),
    unit: 'MB',
    bar: { kind: 'at most', threshold: MEMORY_BAR_MB },
  }
}
