// Attacks the running service with generated requests and with compressed days of abuse:
// `npm run attack -- --requests 20000 --seed 7`. The same seed makes the same requests. Exit code 1 when anything was found.
import { randomInt } from 'node:crypto'
import { buildPages } from '#server/testing/service/build-pages.ts'
import { FAMILIES } from './families.ts'
import { groupFindings, RULES, type Rule } from './findings.ts'
import { endOnSignals } from './leave-nothing.ts'
import { type Options, readOptions } from './options.ts'
import { type RunReport, runAttack } from './run.ts'

const GROUPS_SHOWN_MAX = 60
const NUMBERS_SHOWN_MAX = 5
/** A problem that shows only in the whole process is caused by one of these; sent together they reproduce it. */
const SUSPECTS_SHOWN_MAX = 20

const options = readOptions(process.argv.slice(2), randomInt(1, 1_000_000))
if (!options.ok) {
  process.stderr.write(`${options.error}\n`)
  process.exit(2)
}
endOnSignals()
const startedMs = performance.now()
await buildPages()
const report = await runAttack(options.value, say)
print(report, options.value)
process.exitCode = report.findings.length > 0 ? 1 : 0

function print({ findings, looked, ...figures }: RunReport, { seed, isShort, families }: Options): void {
  const groups = groupFindings(findings)
  say('')
  for (const { rule, kind, what, sent, times, numbers } of groups.slice(0, GROUPS_SHOWN_MAX)) {
    say(`${rule}  ${times > 1 ? `${times} times, ` : ''}${kind}`)
    const example = sent === undefined ? '' : `${sent.slice(0, 200)}: `
    say(`        ${`${example}${what}`.replaceAll('\n', ' ').slice(0, 400)}`)
    if (numbers.length > 0)
      say(
        `        npm run attack -- --seed ${seed}${isShort ? ' --short' : ''}${replayFamilies(families)} --only ${numbers.slice(0, rule === 'answers' ? NUMBERS_SHOWN_MAX : SUSPECTS_SHOWN_MAX).join(',')}`,
      )
  }
  if (groups.length > GROUPS_SHOWN_MAX) say(`and ${groups.length - GROUPS_SHOWN_MAX} more kinds of findings`)
  say('')
  for (const [rule, promise] of Object.entries(RULES)) {
    const broken = groups.filter((group) => group.rule === rule).length
    say(
      `${broken === 0 ? 'ok    ' : 'BROKEN'}  ${String(looked[rule as Rule]).padStart(6)}  ${promise}${broken > 0 ? `: ${broken} kinds of findings` : ''}`,
    )
  }
  say(
    `${figures.performed} requests with seed ${seed} in ${Math.round((performance.now() - startedMs) / 1_000)} s; at most ${Math.round(figures.highestMegabytes)} MB, ${Math.round(figures.restingMegabytes)} MB at rest; loop blocked for at most ${Math.round(figures.slowestProbeMs)} ms`,
  )
  const failed = Object.keys(RULES).filter((rule) => groups.some((group) => group.rule === rule)).length
  say(`${Object.keys(RULES).length - failed} passed, ${failed} failed`)
}

function replayFamilies(families: Options['families']): string {
  return families.length === FAMILIES.length ? '' : ` --families ${families.map(({ name }) => name).join(',')}`
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
