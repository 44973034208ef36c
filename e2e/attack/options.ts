import { parseArgs } from 'node:util'
import { err, ok, type Result } from '#lib/result.ts'
import type { Family } from './case.ts'
import { FAMILIES } from './families.ts'
import { SCENARIOS } from './scenarios.ts'

export type Options = {
  requests: number
  seed: number
  /** Only these numbers of the plan. */
  only: readonly number[] | undefined
  families: readonly Family[]
  scenarios: readonly string[]
  /** How long each scenario goes on. */
  minutes: number
  /** Without what takes longer than ten seconds. */
  isShort: boolean
  /** Leaves the data folder when something was found. */
  keepsFolder: boolean
}

const REQUESTS_DEFAULT = 20_000
const MINUTES_DEFAULT = 0.5

/** Reads the command line. The error is one sentence. `randomSeed` is the default seed. */
export function readOptions(args: readonly string[], randomSeed: number): Result<Options, string> {
  let values: Record<string, string | boolean | undefined>
  try {
    values = parseArgs({
      args: [...args],
      options: {
        requests: { type: 'string' },
        seed: { type: 'string' },
        only: { type: 'string' },
        families: { type: 'string' },
        scenarios: { type: 'string' },
        minutes: { type: 'string' },
        short: { type: 'boolean' },
        keep: { type: 'boolean' },
      },
    }).values
  } catch (error) {
    return err(error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error))
  }
  const text = (name: string) => (typeof values[name] === 'string' ? values[name] : undefined)
  const requests = wholeNumber(text('requests') ?? String(REQUESTS_DEFAULT), 1_000_000)
  if (requests === undefined) return err('--requests must be a whole number from 1 to 1000000.')
  const seed = wholeNumber(text('seed') ?? String(randomSeed), 1_000_000)
  if (seed === undefined) return err('--seed must be a whole number from 1 to 1000000.')
  const only = text('only')
    ?.split(',')
    .map((part) => wholeNumber(part, 1_000_000))
  if (only?.some((number) => number === undefined))
    return err('--only must be numbers of requests with commas between them, such as 12 or 12,40.')
  const minutes = Number(text('minutes') ?? MINUTES_DEFAULT)
  if (!(minutes > 0 && minutes <= 1_440)) return err('--minutes must be a number above 0, at most 1440.')
  const families = named('--families', text('families') ?? 'all', FAMILIES)
  if (!families.ok) return families
  const scenarios = named('--scenarios', text('scenarios') ?? (only ? 'none' : 'all'), SCENARIOS)
  if (!scenarios.ok) return scenarios
  return ok({
    requests,
    seed,
    only: only?.flatMap((number) => number ?? []),
    families: families.value,
    scenarios: scenarios.value.map(({ name }) => name),
    minutes,
    isShort: values['short'] === true,
    keepsFolder: values['keep'] === true,
  })
}

function named<Item extends { name: string }>(option: string, text: string, known: readonly Item[]): Result<readonly Item[], string> {
  if (text === 'all') return ok(known)
  if (text === 'none' && option === '--scenarios') return ok([])
  const chosen = text.split(',')
  const unknown = chosen.find((name) => !known.some((one) => one.name === name))
  if (unknown !== undefined) return err(`${option} does not know "${unknown}": there are ${known.map(({ name }) => name).join(', ')}.`)
  return ok(known.filter(({ name }) => chosen.includes(name)))
}

function wholeNumber(text: string, greatest: number): number | undefined {
  return /^[1-9]\d{0,6}$/.test(text) && Number(text) <= greatest ? Number(text) : undefined
}
