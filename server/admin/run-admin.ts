import { parseArgs } from 'node:util'
import { describeDatabaseProblem } from '#server/database/database-away.ts'
import { ACCESS_COMMANDS } from './access-commands.ts'
import { APPLICATION_COMMANDS } from './application-commands.ts'
import { AdminError, type Command, type Options, type Output, usageOf } from './command.ts'
import { openAdminDatabase } from './open-database.ts'
import { OPERATOR_COMMANDS } from './operator-commands.ts'
import { PERSON_COMMANDS } from './person-commands.ts'
import { RESTORE_COMMANDS } from './restore-commands.ts'
import { RULE_COMMANDS } from './rule-commands.ts'
import { SECRETS_COMMANDS } from './secrets-commands.ts'

const COMMANDS: readonly Command[] = [
  ...APPLICATION_COMMANDS,
  ...ACCESS_COMMANDS,
  ...OPERATOR_COMMANDS,
  ...PERSON_COMMANDS,
  ...RULE_COMMANDS,
  ...SECRETS_COMMANDS,
  ...RESTORE_COMMANDS,
]

/** The source of a command's settings and the destination of its results and problems: the process, or a test. */
type Surroundings = { environment: Record<string, string | undefined>; print(line: string): void; complain(line: string): void }

/** Runs one command line and returns its exit code: 0 done, 1 refused or failed, 2 not understood. */
export async function runAdmin(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const { environment, print, complain } = surroundings
  if (args.length === 0 || ['help', '--help', '-h'].includes(args[0] ?? '')) {
    print(generalUsage())
    return args.length === 0 ? 2 : 0
  }
  const command = findCommand(args)
  if (!command) {
    complain(`There is no command "${args[0]}". Run npm run admin -- help to see them all.`)
    return 2
  }
  try {
    const { options, asJson } = parseOptions(command, args.slice(command.name.split(' ').length))
    if (options === 'help') {
      print(`${command.summary}.\n\n  ${usageOf(command)}`)
      return 0
    }
    printOutput(await runCommand(command, options, environment), asJson, surroundings)
    return 0
  } catch (error) {
    complain(sentenceOf(error))
    if (error instanceof AdminError && error.exitCode === 2) complain(`Usage: ${usageOf(command)}`)
    return error instanceof AdminError ? error.exitCode : 1
  }
}

function findCommand(args: readonly string[]): Command | undefined {
  return COMMANDS.find(({ name }) => name === args[0] || name === args.slice(0, 2).join(' '))
}

function parseOptions(command: Command, args: readonly string[]): { options: Options | 'help'; asJson: boolean } {
  const known = Object.keys(command.options)
  const config = Object.fromEntries(known.map((name) => [name, { type: 'string' as const }]))
  let values: Record<string, string | boolean | undefined>
  try {
    values = parseArgs({
      args: [...args],
      options: { ...config, help: { type: 'boolean' }, json: { type: 'boolean' } },
      strict: true,
    }).values
  } catch (error) {
    throw new AdminError(error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error), 2)
  }
  if (values['help'] === true) return { options: 'help', asJson: false }
  const options: Record<string, string | undefined> = {}
  for (const name of known) {
    const value = values[name]
    // A NUL cannot be stored and is never meant.
    if (typeof value === 'string') options[name] = value.replaceAll('\0', '')
  }
  const missing = known.filter((name) => command.options[name]?.isRequired && !options[name])
  if (missing.length > 0)
    throw new AdminError(`${missing.map((name) => `--${name}`).join(' and ')} ${missing.length > 1 ? 'are' : 'is'} missing.`, 2)
  return { options, asJson: values['json'] === true }
}

async function runCommand(command: Command, options: Options, environment: Surroundings['environment']): Promise<Output> {
  const pool = await openAdminDatabase(environment, { usesSecrets: command.usesSecrets ?? false })
  try {
    return await command.run(pool, options, environment)
  } finally {
    await pool.end()
  }
}

function printOutput(output: Output, asJson: boolean, { print, complain }: Surroundings): void {
  if (asJson) {
    print(JSON.stringify({ ...output.facts, ...output.tables }))
    return
  }
  const { facts = {}, tables = {} } = output
  const width = Math.max(0, ...Object.keys(facts).map((label) => label.length))
  for (const [label, value] of Object.entries(facts)) print(`${label.padEnd(width)}  ${value}`)
  for (const [title, rows] of Object.entries(tables)) printTable(title, rows, print)
  if (output.showsSecret) complain('Store the secrets above now. They are not shown again.')
}

function printTable(title: string, rows: readonly Record<string, string>[], print: Surroundings['print']): void {
  print(`\n${title}${rows.length === 0 ? ': none' : ''}`)
  const [first] = rows
  if (!first) return
  const columns = Object.keys(first)
  const widths = columns.map((column) => Math.max(column.length, ...rows.map((row) => (row[column] ?? '').length)))
  const line = (cells: readonly string[]): string => `  ${cells.map((cell, place) => cell.padEnd(widths[place] ?? 0)).join('  ')}`.trimEnd()
  print(line(columns))
  for (const row of rows) print(line(columns.map((column) => row[column] ?? '')))
}

function generalUsage(): string {
  const width = Math.max(...COMMANDS.map(({ name }) => name.length))
  return [
    'npm run admin -- COMMAND [options]',
    '',
    ...COMMANDS.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    '',
    'COMMAND --help shows its options; --json prints one JSON object.',
    'Works on DATABASE_URL (with NODE_ENV=production or SANDBOX=1), or on the sandbox that runs with this DATA_DIR (default .data).',
  ].join('\n')
}

function sentenceOf(error: unknown): string {
  if (error instanceof AdminError) return error.message
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  const what = cause instanceof Error ? cause.message || code : String(cause)
  const problem = describeDatabaseProblem(error)
  return problem === undefined ? `That did not work: ${what}.` : `The database cannot be used (${problem}).`
}
