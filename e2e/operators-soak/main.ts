// Transactions over all operators while a share of the calls and callbacks goes wrong:
// `npm run operators-soak -- --transactions 20000 --faults 10 --seed 7`. Exit code 1 when a promise is broken.
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { runSoak } from './run.ts'

const { values } = parseArgs({
  options: {
    transactions: { type: 'string', default: '20000' },
    /** In hundredths of the calls and of the callbacks. */
    faults: { type: 'string', default: '10' },
    seed: { type: 'string' },
    /** Breaks the connectors, to see that the run finds it. */
    'wrong-keys': { type: 'boolean', default: false },
    /** Keeps the data folder, even when everything passes. */
    keep: { type: 'boolean', default: false },
  },
})
const LIMITS = { transactions: 1_000_000, faults: 90, seed: 1_000_000_000 }
const BROKEN_SHOWN_MAX = 10

const { verdicts, counts, loadMs, settleMs, folder, statuses } = await runSoak({
  transactions: wholeNumber('transactions', values.transactions),
  faultShare: wholeNumber('faults', values.faults) / 100,
  seed: values.seed === undefined ? randomInt(1, 1_000_000) : wholeNumber('seed', values.seed),
  hasWrongKeys: values['wrong-keys'],
  keepsFolder: values.keep,
  say,
})
say('')
for (const [name, count] of [...counts.faults].toSorted(([, left], [, right]) => right - left)) say(`${String(count).padStart(7)}  ${name}`)
say(`${counts.disturbed} faults in ${counts.calls} calls and ${counts.callbacks} callbacks`)
say(`load ${Math.round(loadMs / 1_000)} s, all ended ${Math.round(settleMs / 1_000)} s later. ${statuses}`)
say('')
for (const { promise, looked, broken } of verdicts) {
  say(`${broken.length === 0 ? 'ok    ' : 'BROKEN'}  ${String(looked).padStart(6)}  ${promise}`)
  for (const one of broken.slice(0, BROKEN_SHOWN_MAX)) say(`                  ${one}`)
  if (broken.length > BROKEN_SHOWN_MAX) say(`                  and ${broken.length - BROKEN_SHOWN_MAX} more`)
}
const failed = verdicts.filter(({ broken }) => broken.length > 0).length
if (failed > 0) say(`The data is kept in ${folder}`)
say(`${verdicts.length - failed} passed, ${failed} failed`)
process.exitCode = failed > 0 ? 1 : 0

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

function wholeNumber(name: keyof typeof LIMITS, text: string): number {
  const value = Number(text)
  if (/^\d{1,10}$/.test(text) && value >= 1 && value <= LIMITS[name]) return value
  process.stderr.write(`--${name} must be a whole number from 1 to ${LIMITS[name]}.\n`)
  process.exit(2)
}
