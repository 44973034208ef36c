import { parseArgs } from 'node:util'

export type Options = {
  /** Names of the parts to run; empty: all. */
  parts: string[]
  /** Transactions of the large data set of `pages` and `totals`. */
  size: number
  /** Length of one measurement. */
  seconds: number
  /** Deposits of `pay-day`. */
  deposits: number
  /** Where the JSON goes as well. */
  jsonFile: string | undefined
}

/** Reads `[parts…] [--size N] [--seconds N] [--deposits N] [--json file]`. Throws an Error with one sentence for what makes no sense. */
export function readOptions(args: string[]): Options {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { size: { type: 'string' }, seconds: { type: 'string' }, deposits: { type: 'string' }, json: { type: 'string' } },
  })
  return {
    parts: positionals,
    size: wholeNumber('--size', values.size ?? '1000000', 10_000, 100_000_000),
    seconds: wholeNumber('--seconds', values.seconds ?? '4', 1, 600),
    deposits: wholeNumber('--deposits', values.deposits ?? '50000', 200, 1_000_000),
    jsonFile: values.json,
  }
}

function wholeNumber(name: string, text: string, minimum: number, maximum: number): number {
  const value = Number(text.replaceAll('_', ''))
  if (Number.isInteger(value) && value >= minimum && value <= maximum) return value
  throw new Error(`${name} must be a whole number from ${minimum} to ${maximum}.`)
}
