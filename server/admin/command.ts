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
  run(pool: Pool, options: Options): Promise<Output>
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
