// `npm run admin -- <command>`: what the machine's administrator does to applications, keys and people.
import { parseArgs } from 'node:util'
import { ACCESS_COMMANDS } from '#server/admin/access-commands.ts'
import { AdminError } from '#server/admin/admin-error.ts'
import { APPLICATION_COMMANDS } from '#server/admin/application-commands.ts'
import { type Command, type Options, type Output, usageOf } from '#server/admin/command.ts'
import { openAdminDatabase } from '#server/admin/open-database.ts'
import { OPERATOR_COMMANDS } from '#server/admin/operator-commands.ts'
import { PERSON_COMMANDS } from '#server/admin/person-commands.ts'
import { RULE_COMMANDS } from '#server/admin/rule-commands.ts'
import { SECRETS_COMMANDS } from '#server/admin/secrets-commands.ts'
import { describeDatabaseProblem } from '#server/database/describe-problem.ts'

const COMMANDS: readonly Command[] = [
  ...APPLICATION_COMMANDS,
  ...ACCESS_COMMANDS,
  ...OPERATOR_COMMANDS,
  ...PERSON_COMMANDS,
  ...RULE_COMMANDS,
  ...SECRETS_COMMANDS,
]

process.exitCode = await main(process.argv.slice(2))

async function main(args: readonly string[]): Promise<number> {
  if (args.length === 0 || ['help', '--help', '-h'].includes(args[0] ?? '')) {
    console.log(generalUsage())
    return args.length === 0 ? 2 : 0
  }
  const command = findCommand(args)
  if (!command) {
    console.error(`There is no command "${args[0]}". Run npm run admin -- help to see them all.`)
    return 2
  }
  try {
    const { options, asJson } = parseOptions(command, args.slice(command.name.split(' ').length))
    if (options === 'help') {
      console.log(`${command.summary}.\n\n  ${usageOf(command)}`)
      return 0
    }
    print(await runCommand(command, options), asJson)
    return 0
  } catch (error) {
    console.error(sentenceOf(error))
    if (error instanceof AdminError && error.exitCode === 2) console.error(`Usage: ${usageOf(command)}`)
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

async function runCommand(command: Command, options: Options): Promise<Output> {
  const pool = await openAdminDatabase(process.env, { usesSecrets: command.usesSecrets ?? false })
  try {
    return await command.run(pool, options)
  } finally {
    await pool.end()
  }
}

function print(output: Output, asJson: boolean): void {
  if (asJson) {
    console.log(JSON.stringify({ ...output.facts, ...output.tables }))
    return
  }
  const { facts = {}, tables = {} } = output
  const width = Math.max(0, ...Object.keys(facts).map((label) => label.length))
  for (const [label, value] of Object.entries(facts)) console.log(`${label.padEnd(width)}  ${value}`)
  for (const [title, rows] of Object.entries(tables)) printTable(title, rows)
  if (output.showsSecret) console.error('Keep what is secret above now: it is not shown again.')
}

function printTable(title: string, rows: readonly Record<string, string>[]): void {
  console.log(`\n${title}${rows.length === 0 ? ': none' : ''}`)
  const [first] = rows
  if (!first) return
  const columns = Object.keys(first)
  const widths = columns.map((column) => Math.max(column.length, ...rows.map((row) => (row[column] ?? '').length)))
  const line = (cells: readonly string[]): string => `  ${cells.map((cell, place) => cell.padEnd(widths[place] ?? 0)).join('  ')}`.trimEnd()
  console.log(line(columns))
  for (const row of rows) console.log(line(columns.map((column) => row[column] ?? '')))
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
