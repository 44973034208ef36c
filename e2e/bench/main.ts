// `npm run bench -- [parts…] [--size 1000000] [--seconds 4] [--deposits 50000] [--json out.json]`: measures this service on
// this machine against limits that it measures in the same run. See README.md beside this file.
import { writeFile } from 'node:fs/promises'
import { type BenchEnvironment, openEnvironment } from '#e2e/bench/environment/environment.ts'
import { startCountOfOthers } from '#e2e/bench/environment/usage.ts'
import { measureFlushPrice } from '#e2e/bench/limits/flush-price.ts'
import type { Context } from './context.ts'
import { type Figure, isMet, ratioOf, tableOf } from './figures.ts'
import { describeMachine, type Machine } from './machine.ts'
import { type Options, readOptions } from './options.ts'
import { PARTS } from './parts.ts'

const OTHERS = ': CPU of other programs'
/** With less than this the machine counts as quiet. */
const OTHERS_CORES_MAX = 0.3

try {
  process.exitCode = await main(readOptions(process.argv.slice(2)))
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 2
}

async function main(options: Options): Promise<number> {
  const unknown = options.parts.find((name) => !PARTS.some((part) => part.name === name))
  if (unknown !== undefined) throw new Error(`There is no part ${unknown}; there are ${PARTS.map((part) => part.name).join(', ')}.`)
  const startedMs = performance.now()
  const environment = await openEnvironment()
  // A Ctrl-C reaches the children too; what they and the data folder leave behind is cleared here.
  process.once('SIGINT', () => void environment.close().finally(() => process.exit(130)))
  try {
    const measured = await measure(environment, options)
    const outcome = { ...measured, seconds: (performance.now() - startedMs) / 1_000 }
    report(outcome)
    const json = JSON.stringify(toJson(outcome))
    if (options.jsonFile) await writeFile(options.jsonFile, `${json}\n`)
    process.stdout.write(`${json}\n`)
    return 0
  } finally {
    await environment.close()
  }
}

type Outcome = { figures: Figure[]; failures: Record<string, string>; machine: Machine }

/** A part that fails is reported as missed; the others still run. */
async function measure(environment: BenchEnvironment, options: Options): Promise<Outcome> {
  const flush = measureFlushPrice(environment.folder, 1)
  const database = await environment.createDatabase('bench_settings')
  const machine = {
    ...(await describeMachine(database.pool)),
    fdatasync: `p50 ${flush.p50Ms.toFixed(2)} ms, p99 ${flush.p99Ms.toFixed(2)} ms`,
    size: String(options.size),
    seconds: String(options.seconds),
  }
  await database.drop()
  const context: Context = { environment, options, findings: {}, say: (line) => void process.stderr.write(`${line}\n`) }
  const figures: Figure[] = []
  const failures: Record<string, string> = {}
  for (const part of PARTS) {
    if (options.parts.length > 0 ? !options.parts.includes(part.name) : part.isOnRequest) continue
    context.say(`${part.name}: starting`)
    const others = await startCountOfOthers()
    try {
      figures.push(...(await part.run(context)))
    } catch (error) {
      failures[part.name] = error instanceof Error ? error.message : String(error)
    }
    figures.push({ name: part.name + OTHERS, value: await others.stop(), unit: 'cores' })
  }
  return { figures, failures, machine }
}

function report({ figures, failures, machine, seconds }: Outcome & { seconds: number }): void {
  const lines = [
    '',
    ...Object.entries(machine).map(([name, value]) => `${name.padEnd(12)}${value}`),
    '',
    ...tableOf(figures),
    ...figures.filter((figure) => isMet(figure) === false).map((figure) => `missed, ${figure.name}: ${causeOf(figure, figures)}`),
    ...Object.entries(failures).map(([part, message]) => `${part} could not be measured: ${message}`),
    '',
    `Took ${Math.round(seconds)} s. ${missedOf(figures, failures).length === 0 ? 'Every bar was met.' : `Missed: ${missedOf(figures, failures).join('; ')}.`}`,
    '',
  ]
  process.stdout.write(lines.join('\n'))
}

function missedOf(figures: Figure[], failures: Record<string, string>): string[] {
  return [...figures.filter((figure) => isMet(figure) === false).map((figure) => figure.name), ...Object.keys(failures)]
}

/** Possible reasons for a missed bar: where the time went, and whether the machine was busy with other things. */
function causeOf(figure: Figure, figures: Figure[]): string {
  const part = figure.name.split(':', 1)[0] ?? ''
  const others = figures.find((one) => one.name === part + OTHERS)?.value ?? 0
  const busy =
    others > OTHERS_CORES_MAX
      ? `other programs used ${others.toFixed(2)} cores: repeat the run on a quiet machine`
      : 'the machine was quiet'
  return figure.note ? `${busy}; ${figure.note}` : busy
}

function toJson({ figures, failures, machine, seconds }: Outcome & { seconds: number }): object {
  return {
    environment: machine,
    seconds: Math.round(seconds),
    figures: figures.map((figure) => ({
      ...figure,
      ratio: ratioOf(figure),
      isMet: isMet(figure),
      ...(isMet(figure) === false && { cause: causeOf(figure, figures) }),
    })),
    failures,
    missed: missedOf(figures, failures),
  }
}
