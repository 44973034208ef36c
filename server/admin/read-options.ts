import { parseAmountMinor } from '#lib/money/money.ts'
import { COUNTRIES, COUNTRY_NAMES, type CountryName, isOperatorCode, OPERATOR_CODES, type OperatorCode } from '#lib/operators/operators.ts'
import { TRANSACTION_TYPES, type TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import { ROLES, type Role } from '#lib/people/permissions.ts'
import { type ApplicationListing, listApplications } from '#server/applications/access/access-store.ts'
import type { Pool } from '#server/database/pool.ts'
import { findApiUserByName } from '#server/partner-auth/api-user-store.ts'
import { findPersonIdByEmail } from '#server/people/person-store.ts'
import { AdminError, type Options } from './command.ts'

/** The value of an option that the command line parser made sure of. */
export function textOf(options: Options, name: string): string {
  const value = options[name]
  if (value === undefined) throw new AdminError(`--${name} is missing.`, 2)
  return value
}

/** The application that --application names: by its id, its apiId, or a name that only one has. */
export async function applicationOf(pool: Pool, options: Options): Promise<ApplicationListing> {
  const wanted = textOf(options, 'application')
  const all = await listApplications(pool)
  const found = all.filter((one) => one.applicationId === wanted || one.apiId === wanted)
  const matches = found.length > 0 ? found : all.filter((one) => one.name.toLowerCase() === wanted.toLowerCase())
  if (matches.length > 1) throw new AdminError(`Several applications are called "${wanted}": use the id (npm run admin -- list).`)
  return matches[0] ?? fail(`There is no application "${wanted}" (npm run admin -- list).`)
}

/** The person that --email names. */
export async function personIdOf(pool: Pool, options: Options): Promise<string> {
  const email = textOf(options, 'email')
  return (await findPersonIdByEmail(pool, email)) ?? fail(`There is no person with the e-mail address ${email}.`)
}

/** The API user that --username names. */
export async function apiUserOf(pool: Pool, options: Options): Promise<{ applicationId: string; apiUserId: string }> {
  const username = textOf(options, 'username')
  return (await findApiUserByName(pool, username)) ?? fail(`There is no API user "${username}".`)
}

/** --roles: one or more, with commas. */
export function rolesOf(options: Options): Role[] {
  const words = textOf(options, 'roles')
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean)
  const roles = ROLES.filter((role) => words.includes(role))
  if (words.length === 0 || roles.length !== new Set(words).size)
    throw new AdminError(`--roles takes one or more of ${ROLES.join(', ')}, with commas between them.`, 2)
  return roles
}

/** --operator: one code, or `all`. */
export function operatorsOf(options: Options): OperatorCode[] {
  const text = textOf(options, 'operator').toUpperCase()
  if (text === 'ALL') return [...OPERATOR_CODES]
  return isOperatorCode(text) ? [text] : fail(`--operator takes ${OPERATOR_CODES.join(', ')} or all.`, 2)
}

/** --countries: names or codes with commas, or `all`; undefined when the option is absent. */
export function countriesOf(options: Options): CountryName[] | undefined {
  const text = options['countries']?.toUpperCase()
  if (text === undefined) return undefined
  if (text === 'ALL') return [...COUNTRY_NAMES]
  const words = new Set(text.split(',').map((word) => word.trim()))
  const countries = COUNTRY_NAMES.filter((name) => words.has(name) || words.has(COUNTRIES[name].code))
  return countries.length === words.size ? countries : fail(`--countries takes ${COUNTRY_NAMES.join(', ')} with commas, or all.`, 2)
}

/** --webhook-networks: addresses and networks with commas, or `none`; undefined when the option is absent. */
export function networksOf(options: Options): string[] | undefined {
  const text = options['webhook-networks']
  if (text === undefined) return undefined
  return text.toLowerCase() === 'none' ? [] : text.split(',').map((part) => part.trim())
}

/** --type: collect, deposit, or both (the default). */
export function typesOf(options: Options): TransactionType[] {
  const text = (options['type'] ?? 'both').toUpperCase()
  const types = TRANSACTION_TYPES.filter((type) => text === 'BOTH' || text === type)
  return types.length > 0 ? types : fail('--type takes collect, deposit or both.', 2)
}

/** An amount in the currency's unit, as hundredths; undefined when the option is absent. Zero only where `allowsZero`. */
export function amountOf(options: Options, name: string, allowsZero = false): bigint | undefined {
  const text = options[name]
  if (text === undefined) return undefined
  if (allowsZero && /^0+(\.0{1,2})?$/.test(text)) return 0n
  return parseAmountMinor(text) ?? fail(`--${name} takes an amount like 5000 or 100.50, at most 9999999999.99.`, 2)
}

/** A percentage with at most four decimals, as millionths. */
export function percentOf(options: Options, name: string): number | undefined {
  const text = options[name]
  if (text === undefined) return undefined
  const match = /^(\d{1,3})(?:\.(\d{1,4}))?$/.exec(text)
  if (!match) throw new AdminError(`--${name} takes a percentage like 1 or 0.5.`, 2)
  return Number(match[1]) * 10_000 + Number((match[2] ?? '').padEnd(4, '0'))
}

/** yes or no; undefined when the option is absent. */
export function yesOrNo(options: Options, name: string): boolean | undefined {
  const text = options[name]?.toLowerCase()
  if (text === undefined) return undefined
  if (text !== 'yes' && text !== 'no') throw new AdminError(`--${name} takes yes or no.`, 2)
  return text === 'yes'
}

/** An instant the given number of hours (0 to 87,600) from now; undefined when the option is absent. */
export function hoursFromNow(options: Options, name: string, unitHours = 1): Date | undefined {
  const text = options[name]
  if (text === undefined) return undefined
  if (!/^\d{1,5}$/.test(text) || Number(text) * unitHours > 87_600)
    throw new AdminError(`--${name} takes a whole number, ten years at most.`, 2)
  return new Date(Date.now() + Number(text) * unitHours * 3_600_000)
}

function fail(message: string, exitCode: 1 | 2 = 1): never {
  throw new AdminError(message, exitCode)
}
