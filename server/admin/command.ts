import type { Result } from '#lib/result.ts'
import type { Pool } from '#server/database/pool.ts'

/** One option of a command: `--name`, and its placeholder in the usage text. */
type OptionSpec = { placeholder: string; isRequired: boolean }

/** The output of a command: a line for each fact, then tables; with --json the same as one object. */
export type Output = {
  facts?: Record<string, string>
  tables?: Record<string, Record<string, string>[]>
  /** True when the facts hold something that is never shown again. */
  showsSecret?: boolean
}

export type Options = Readonly<Record<string, string | undefined>>

export type Command = {
  /** One or two words: `create-key`, `block person`. */
  name: string
  summary: string
  options: Readonly<Record<string, OptionSpec>>
  /** True when it writes or reads what is encrypted with SECRETS_KEY. */
  usesSecrets?: boolean
  /** `environment`: the settings with which the program was started. */
  run(pool: Pool, options: Options, environment: Readonly<Record<string, string | undefined>>): Promise<Output>
}

/** A required option. */
export function required(placeholder: string): OptionSpec {
  return { placeholder, isRequired: true }
}

/** An option that may be left out. */
export function optional(placeholder: string): OptionSpec {
  return { placeholder, isRequired: false }
}

/** The option's value as the usage text writes it, for one line of help. */
export function usageOf(command: Command): string {
  const options = Object.entries(command.options).map(([name, { placeholder, isRequired }]) =>
    isRequired ? `--${name} ${placeholder}` : `[--${name} ${placeholder}]`,
  )
  return ['npm run admin --', command.name, ...options].join(' ')
}

/** Something the person at the command line can put right; its message is one sentence for them. */
export class AdminError extends Error {
  readonly exitCode: 1 | 2

  /** Exit code 1: it was refused. 2: the command line itself is wrong, and its usage is shown. */
  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message)
    this.exitCode = exitCode
  }
}

/** The sentence that each refusal of a command prints. */
const SENTENCES: Record<string, string> = {
  invalid_name: 'The name must have 1 to 200 characters.',
  invalid_username: 'The user name must have 3 to 320 characters and no spaces.',
  invalid_email: 'That is not an e-mail address.',
  invalid_roles: 'Roles are one or more of maker, checker, finance, administrator, with commas between them.',
  combined_roles: 'Maker, checker and administrator in one person: allow it first (npm run admin -- set-application --combined-roles yes).',
  invalid_limits: 'The limits must be positive and the minimum not above the maximum.',
  outside_countries: 'The application does not work in the country of that operator (npm run admin -- set-application --countries).',
  invalid_countries: 'Name at least one country, each once.',
  invalid_webhook_url: 'The webhook address must be an absolute http or https address without a password or token.',
  another_runs_installation: 'Another application runs the installation: take it away there first (--runs-installation no).',
  keeps_statements:
    'The application has wallets, statements or open exceptions of the close of day, which no other application could read: it has to keep running the installation.',
  invalid_fees: 'Percentages must be 0 or more and stay below 100 together; fixed parts must be 0 or more.',
  username_taken: 'This user name is taken.',
  already_member: 'That person is a member of the application already.',
  not_a_member: 'That person is not a member of the application.',
  too_many_keys: 'The application has ten working keys already; revoke one first.',
  unknown_time_zone: 'That is not the name of a time zone. Write it as in Africa/Douala, or UTC.',
  unusable_time_zone:
    'The database and this program do not agree on when the days of that time zone begin, or a day of it returns after the next one.',
  busy: 'Transactions in progress prevent it; try again in a minute.',
  unknown_application: 'There is no such application.',
  unknown_key: 'There is no such key that still works.',
  unknown_user: 'There is no such API user.',
  unknown_person: 'There is no such person.',
  not_a_network: 'That is neither an address nor a network (203.0.113.7, 10.0.0.0/8, 2001:db8::/32).',
  host_bits_set: 'The network has digits behind its mask: write 10.0.0.0/8, or the single address.',
  unknown_version: 'There is no such version of the rules (npm run admin -- list-rules).',
  already_active: 'This version is active already, or was.',
  superseded: 'A newer version is active: propose the rules again.',
  service_is_running: 'Processes of the service are connected to this database: stop all of them first.',
  happens_in_the_future: 'That instant is in the future.',
  newer_is_noted: 'A later one is noted already.',
  note_too_long: 'The note must have at most 500 characters.',
  not_on_the_list: 'That address or network is not on the allow list.',
}

/** The value of a command that worked; throws an AdminError with a sentence for one that refused. */
export function unwrap<Value>(result: Result<Value, string>): Value {
  if (result.ok) return result.value
  throw new AdminError(SENTENCES[result.error] ?? `Refused: ${result.error}.`)
}
