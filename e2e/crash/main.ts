// Kills the service and its database at random moments under load and checks that nothing is lost:
// `npm run crash -- --kills 50 --seed 7`. With `--failover`, one server of a synchronous pair after the other instead; with `--upgrade`
// (`npm run test:upgrade`) nothing is killed, and the processes of one release are replaced by those of another. The same seed makes the same
// plan. Exit code 1 when a promise is broken.
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { buildPages } from '#server/testing/service/build-pages.ts'
import { openClusterStage } from './cluster/cluster.ts'
import { NoPackages } from './cluster/packages.ts'
import { openFailoverStage } from './failover/fail-over.ts'
import { stageOfKills } from './kills/kill-processes.ts'
import type { Stage } from './ordeal.ts'
import { type RunReport, runCrash } from './run.ts'
import { openUpgradeStage } from './upgrade/roll.ts'

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '50' },
    seed: { type: 'string' },
    failover: { type: 'boolean', default: false },
    upgrade: { type: 'boolean', default: false },
    /** Each part of a cluster in turn, `npm run test:cluster`. */
    cluster: { type: 'boolean', default: false },
    /** The release before, for an upgrade; the newest that was named if left out. */
    from: { type: 'string' },
    /** Judges no durations, for a machine that does other work at the same time. */
    'without-limits': { type: 'boolean', default: false },
    connections: { type: 'string' },
    /** Keeps the data folder, even when everything passes. */
    keep: { type: 'boolean', default: false },
  },
})
const BROKEN_SHOWN_MAX = 10
const NO_PACKAGES_EXIT_CODE = 3
/** A seed is 32 bits; a run of more kills or connections than these would not end, or would only test this machine. */
const LIMITS = { kills: 100_000, seed: 4_294_967_295, connections: 1_000 }

const startedMs = performance.now()
const plan = {
  seed: values.seed === undefined ? randomInt(1, 1_000_000) : wholeNumber('seed', values.seed),
  kills: wholeNumber('kills', values.kills),
  keepsFolder: values.keep,
  say,
}
// The started processes are killed at the exit, also one that a signal requests.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
// With more, one machine with two cores cannot start a process and answer within two seconds.
const connections = wholeNumber('connections', values.connections ?? (values.upgrade || values.cluster ? '4' : '16'))
const stage = await openStage()
const report = await runCrash({ ...plan, connections, stage }).finally(() => stage.close())
print(report)
process.exitCode = report.verdicts.some((verdict) => verdict.broken.length > 0) ? 1 : 0

async function openStage(): Promise<Stage> {
  const judgesDurations = !values['without-limits']
  // Their services serve pages, and a failover run keeps one open.
  if (values.cluster || values.failover) await buildPages()
  if (values.cluster) return openClusterStage({ ...plan, judgesDurations }).catch(endWithoutPackages)
  if (values.upgrade) return openUpgradeStage({ ...plan, commit: values.from, judgesDurations })
  return values.failover ? openFailoverStage({ ...plan, judgesDurations }) : stageOfKills(plan)
}

/** Not a failure of the service, so not the exit code of one. */
function endWithoutPackages(error: unknown): never {
  if (!(error instanceof NoPackages)) throw error
  say(`The cluster was not tested. ${error.message}`)
  process.exit(NO_PACKAGES_EXIT_CODE)
}

function print({ verdicts, durationsMs, ...figures }: RunReport): void {
  say('')
  say(`${'measured'.padEnd(44)}  times     median      worst`)
  for (const line of durationsMs.describe()) say(line)
  say(
    `${figures.transactions} transactions accepted, ${figures.answered} answers, ${figures.lost} requests without one; load ${seconds(figures.loadMs)}, rest after ${seconds(figures.settleMs)}, all in ${seconds(performance.now() - startedMs)}`,
  )
  say('')
  for (const { promise, looked, broken } of verdicts) {
    say(`${broken.length === 0 ? 'ok    ' : 'BROKEN'}  ${String(looked).padStart(6)}  ${promise}`)
    for (const one of broken.slice(0, BROKEN_SHOWN_MAX)) say(`                  ${one}`)
    if (broken.length > BROKEN_SHOWN_MAX) say(`                  and ${broken.length - BROKEN_SHOWN_MAX} more`)
  }
  const failed = verdicts.filter((verdict) => verdict.broken.length > 0).length
  if (failed > 0) say(`The data is kept in ${figures.folder}`)
  say(`${verdicts.length - failed} passed, ${failed} failed`)
}

function seconds(durationMs: number): string {
  return `${(durationMs / 1_000).toFixed(1)} s`
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

function wholeNumber(name: keyof typeof LIMITS, text: string): number {
  const value = Number(text)
  if (/^\d{1,10}$/.test(text) && value >= 1 && value <= LIMITS[name]) return value
  process.stderr.write(`--${name} must be a whole number from 1 to ${LIMITS[name]}.\n`)
  process.exit(2)
}
