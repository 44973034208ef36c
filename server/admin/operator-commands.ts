import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { formatMinor } from '#lib/money/money.ts'
import { isOperatorCode, OPERATOR_CODES, type OperatorCode } from '#lib/operators/operators.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { systemClock } from '#server/clock.ts'
import type { Pool } from '#server/database/pool.ts'
import { createLogger } from '#server/logger.ts'
import { listAvailability } from '#server/operators/availability/availability-store.ts'
import { listOperatorBalances } from '#server/operators/balances/balance-store.ts'
import { listOperators } from '#server/operators/settings/list-operators.ts'
import type { SettingsDocument } from '#server/operators/settings/operator-settings.ts'
import { problemSentences } from '#server/operators/settings/protocol.ts'
import { SETTINGS_KINDS } from '#server/operators/settings/protocols.ts'
import { type ReopenFailure, reopenOperator } from '#server/operators/settings/reopen-operator.ts'
import { type SetOperatorFailure, setOperator } from '#server/operators/settings/set-operator.ts'
import { testOperator } from '#server/operators/settings/test-operator.ts'
import { AdminError, type Command, type Options, type Output, optional, required } from './command.ts'
import { textOf, yesOrNo } from './read-options.ts'

const STANDARD_INPUT = 0
const documentSchema = z.record(z.string(), z.unknown())

/** How the operators are reached. */
export const OPERATOR_COMMANDS: readonly Command[] = [
  {
    name: 'set-operator',
    summary:
      'Set how an operator is reached, or the amounts that it takes: a JSON file with the fields to change (server/operators/<protocol>/README.md)',
    options: {
      operator: required('CODE'),
      protocol: required(SETTINGS_KINDS.map(({ name }) => name).join('|')),
      // Not on the command line, where every user of the machine can read them.
      file: optional('FILE|-'),
      remove: optional('yes'),
    },
    usesSecrets: true,
    run: set,
  },
  {
    name: 'reopen-operator',
    summary: 'Send payments again to an operator that refused our PIN, key or settings: one first, with the settings as they are',
    options: { operator: required('CODE') },
    run: reopen,
  },
  {
    name: 'test-operator',
    summary: 'Sign in to an operator and read the balance, and check an account if a number is given; moves no money',
    options: { operator: required('CODE'), 'phone-number': optional('NUMBER') },
    usesSecrets: true,
    run: test,
  },
  {
    name: 'list-operators',
    summary: 'Show how the operators are reached, without secrets, whether they are available, and what they report as our balance',
    options: {},
    usesSecrets: true,
    run: async (pool) => ({
      tables: { operators: await listOperators(pool), availability: await availabilityRows(pool), balances: await balanceRows(pool) },
    }),
  },
]

async function availabilityRows(pool: Pool): Promise<Record<string, string>[]> {
  const rows = await listAvailability(pool)
  return rows.map(({ operator, type, state, since, fault, isReopened }) => ({
    operator,
    type,
    state,
    since: since.toISOString(),
    fault: fault ?? '',
    reopened: isReopened ? 'yes' : '',
  }))
}

async function balanceRows(pool: Pool): Promise<Record<string, string>[]> {
  const figure = (minor: bigint | null): string => (minor === null ? '' : formatMinor(minor))
  const rows = await listOperatorBalances(pool)
  return rows.map((row) => ({
    operator: row.operator,
    collect: figure(row.collectMinor),
    deposit: figure(row.depositMinor),
    ledger: figure(row.ledgerMinor),
    difference: figure(row.differenceMinor),
    since: row.differsSince?.toISOString() ?? '',
    checked: row.checkedAt.toISOString(),
  }))
}

async function set(pool: Pool, options: Options): Promise<Output> {
  const operator = operatorOf(options)
  const protocol = textOf(options, 'protocol')
  const removes = yesOrNo(options, 'remove') ?? false
  if (removes === (options['file'] !== undefined)) throw new AdminError('set-operator takes either --file or --remove yes.', 2)
  const changes = removes ? undefined : readDocument(textOf(options, 'file'))
  const result = await setOperator(pool, { operator, protocol, changes, actor: SYSTEM_ACTOR })
  if (!result.ok) throw new AdminError(sentenceOf(result.error))
  return { facts: { operator, protocol, inForce: 'in every process within a second' } }
}

async function reopen(pool: Pool, options: Options): Promise<Output> {
  const operator = operatorOf(options)
  const result = await reopenOperator(pool, { operator, actor: SYSTEM_ACTOR })
  if (!result.ok) throw new AdminError(REOPEN_SENTENCES[result.error])
  return { facts: { operator, inForce: 'in every process within a second' } }
}

const REOPEN_SENTENCES: Readonly<Record<ReopenFailure, string>> = {
  not_the_installation: 'Only the application that runs the installation may do this.',
  not_permitted: 'Only the administrator of the machine may do this.',
  not_closed: 'No direction of this operator is closed for a fault of ours, or it was opened again (npm run admin -- list-operators).',
  not_stored: 'The settings of this operator are those of the environment: store them with set-operator, which opens it again.',
}

async function test(pool: Pool, options: Options): Promise<Output> {
  const operator = operatorOf(options)
  const result = await testOperator({ pool, clock: systemClock, logger: createLogger('silent') }, operator, options['phone-number'])
  if (!result.ok) throw new AdminError(`${operator} has no settings in this database that fit (npm run admin -- list-operators).`)
  const { steps, isWorking } = result.value
  if (!isWorking) throw new AdminError(steps.map(({ step, outcome }) => `${step}: ${outcome}`).join('\n'))
  return { facts: Object.fromEntries(steps.map(({ step, outcome }) => [step, outcome])) }
}

function operatorOf(options: Options): OperatorCode {
  const text = textOf(options, 'operator').toUpperCase()
  if (!isOperatorCode(text)) throw new AdminError(`--operator takes ${OPERATOR_CODES.join(', ')}.`, 2)
  return text
}

function readDocument(file: string): SettingsDocument {
  let text: string
  try {
    text = readFileSync(file === '-' ? STANDARD_INPUT : file, 'utf8')
  } catch (error) {
    throw new AdminError(`${file} cannot be read (${error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason'}).`)
  }
  try {
    return documentSchema.parse(JSON.parse(text))
  } catch {
    // The parser's message would repeat a part of the file, which holds secrets.
    throw new AdminError(`${file} does not hold one JSON object.`)
  }
}

function sentenceOf(failure: SetOperatorFailure): string {
  if (typeof failure === 'object') return `These settings do not fit: ${problemSentences(failure.problems).join('; ')}.`
  return {
    not_the_installation: 'Only the application that runs the installation may do this.',
    not_permitted: 'Only the administrator of the machine may do this.',
    unknown_protocol: 'That operator does not use this protocol.',
    not_set: 'There are no such settings.',
  }[failure]
}
