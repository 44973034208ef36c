import type { FeeSchedule } from '#lib/money/fees.ts'
import { AMOUNT_MINOR_MAX } from '#lib/money/money.ts'
import { COUNTRY_NAMES, type CountryName, OPERATOR_CODES, OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import { TRANSACTION_TYPES, type TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { isCleanText } from '#lib/text/clean-text.ts'
import { isShownWebhookUrl } from '#lib/text/web-address.ts'
import type { CommandActor } from '#server/audit/command-actor.ts'
import { done, runCommand } from '#server/audit/run-command.ts'
import { lockApplication } from '#server/database/application-locks.ts'
import type { Database, TrxClient } from '#server/database/pool.ts'
import { type NetworkProblem, parseNetwork } from './access/allow-list.ts'
import {
  type ApplicationChange,
  closeServices,
  findInstallation,
  keepsStatements,
  updateApplication,
  upsertFees,
  upsertService,
} from './application-store.ts'
import type { TransferService } from './snapshot.ts'
import { readFees, readService, readTerms } from './terms-store.ts'

type ChangeFailure =
  | 'not_permitted'
  | 'invalid_name'
  | 'invalid_countries'
  | 'invalid_webhook_url'
  | 'unknown_application'
  | 'another_runs_installation'
  | 'keeps_statements'
  | NetworkProblem

/**
 * Changes an application's settings; omitted settings are unchanged. Its administrators change all of them but three: switching it off and
 * on, letting it run the installation, and the private networks that its webhooks may reach, are reserved for the machine administrator. A country that is left has its services switched off;
 * one that is joined has none switched on. Wallets and statements belong to the application that runs the installation, which no other can take
 * over then: nobody could read them.
 */
export async function changeApplication(
  database: Database,
  command: { applicationId: string; change: ApplicationChange; actor: CommandActor },
): Promise<Result<void, ChangeFailure>> {
  const { applicationId, actor } = command
  return runCommand<void, ChangeFailure>(database, command, 'access:change', async (trx) => {
    const { isEnabled, runsInstallation, webhookNetworks } = command.change
    const isReserved = [isEnabled, runsInstallation, webhookNetworks].some((setting) => setting !== undefined)
    if (isReserved && actor.kind !== 'system') return err('not_permitted')
    const read = readChange(command.change)
    if (!read.ok) return read
    const change = read.value
    if (!(await lockApplication(trx, applicationId))) return err('unknown_application')
    if (runsInstallation && (await findInstallation(trx, applicationId))) return err('another_runs_installation')
    if (runsInstallation === false && (await keepsStatements(trx, applicationId))) return err('keeps_statements')
    const present = await readTerms(trx, applicationId)
    if (!(await updateApplication(trx, applicationId, change))) return err('unknown_application')
    const closedServices = change.countries ? await leaveOthers(trx, applicationId, change.countries) : []
    const changed = Object.entries(change).flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const]))
    const before = Object.entries(present ?? {}).filter(([key]) => changed.some(([name]) => name === key))
    const details = {
      ...Object.fromEntries(changed),
      before: Object.fromEntries(before),
      ...(closedServices.length > 0 && { closedServices }),
    }
    return done({ action: 'application.changed', subject: applicationId, details })
  })
}

/** Returns the change as it is stored: names trimmed, networks in their canonical spelling and order. */
function readChange(change: ApplicationChange): Result<ApplicationChange, ChangeFailure> {
  const networks = change.webhookNetworks?.map(parseNetwork) ?? []
  const unreadable = networks.find((network) => !network.ok)
  if (unreadable && !unreadable.ok) return unreadable
  const granted = networks.flatMap((network) => (network.ok ? [network.value] : [])).toSorted()
  const read = { ...change, name: change.name?.trim(), webhookNetworks: change.webhookNetworks && granted }
  const problem = problemOf(read)
  return problem ? err(problem) : ok(read)
}

function problemOf({ name, countries, defaultWebhookUrl }: ApplicationChange): ChangeFailure | undefined {
  if (name !== undefined && (name.length < 1 || name.length > 200 || !isCleanText(name))) return 'invalid_name'
  const isKnown = (country: CountryName) => COUNTRY_NAMES.includes(country)
  if (countries && (countries.length === 0 || new Set(countries).size !== countries.length || !countries.every(isKnown)))
    return 'invalid_countries'
  if (typeof defaultWebhookUrl === 'string' && !isShownWebhookUrl(defaultWebhookUrl)) return 'invalid_webhook_url'
  return undefined
}

/** Switches off what is in none of these countries. */
function leaveOthers(trx: TrxClient, applicationId: string, countries: readonly CountryName[]): Promise<string[]> {
  const left = OPERATOR_CODES.filter((code) => !countries.includes(OPERATORS[code].country.name))
  return closeServices(trx, applicationId, left, TRANSACTION_TYPES)
}

type SetFeeSchedule = {
  applicationId: string
  operator: OperatorCode
  type: TransactionType
  fees: FeeSchedule
  actor: CommandActor
}

type SetFeesFailure = 'not_permitted' | 'unknown_application' | 'invalid_fees'

/**
 * Sets the fees of one operator and direction. Transactions keep those they were made under. The administrators of an application
 * set its own part; the service's part is its income, and only the machine's administrator may change it.
 */
export async function setFeeSchedule(database: Database, command: SetFeeSchedule): Promise<Result<void, SetFeesFailure>> {
  const { applicationId, operator, type, fees, actor } = command
  const isRate = (ppm: number): boolean => Number.isInteger(ppm) && ppm >= 0 && ppm <= 1_000_000
  const isFixed = (minor: bigint): boolean => minor >= 0n && minor <= AMOUNT_MINOR_MAX
  // Both rates together must leave something of a collect.
  const areSensible = isRate(fees.systemRatePpm) && isRate(fees.appRatePpm) && fees.systemRatePpm + fees.appRatePpm < 1_000_000
  return runCommand<void, SetFeesFailure>(database, command, 'access:change', async (trx) => {
    if (!areSensible || !isFixed(fees.systemFixedMinor) || !isFixed(fees.appFixedMinor)) return err('invalid_fees')
    if (!(await lockApplication(trx, applicationId))) return err('unknown_application')
    const before = await readFees(trx, applicationId, operator, type)
    if (actor.kind !== 'system' && !keepsSystemPart(before, fees)) return err('not_permitted')
    await upsertFees(trx, applicationId, operator, type, fees)
    const details = { ...feeDetails(fees), before: feeDetails(before) }
    return done({ action: 'fees.set', subject: `${operator} ${type}`, details })
  })
}

function feeDetails({ systemRatePpm, systemFixedMinor, appRatePpm, appFixedMinor }: FeeSchedule) {
  return { systemRatePpm, systemFixedMinor: String(systemFixedMinor), appRatePpm, appFixedMinor: String(appFixedMinor) }
}

function keepsSystemPart(present: FeeSchedule, next: FeeSchedule): boolean {
  return present.systemRatePpm === next.systemRatePpm && present.systemFixedMinor === next.systemFixedMinor
}

type SetTransferService = {
  applicationId: string
  operator: OperatorCode
  type: TransactionType
  service: TransferService
  actor: CommandActor
}

type SetFailure =
  | 'not_permitted'
  | 'unknown_application'
  | 'invalid_limits'
  /** The application does not work in the operator's country. */
  | 'outside_countries'

/**
 * Switches one operator and direction on or off for an application, and puts amount limits (hundredths, both ends
 * allowed) in force there. Without limits of its own, `enforcesLimits` means the operator table's.
 */
export async function setTransferService(database: Database, command: SetTransferService): Promise<Result<void, SetFailure>> {
  const { applicationId, operator, type, service } = command
  return runCommand<void, SetFailure>(database, command, 'access:change', async (trx) => {
    const [minimum, maximum] = [service.minimumMinor ?? 1n, service.maximumMinor ?? AMOUNT_MINOR_MAX]
    if (minimum < 1n || maximum < minimum || maximum > AMOUNT_MINOR_MAX) return err('invalid_limits')
    if (!(await lockApplication(trx, applicationId))) return err('unknown_application')
    const terms = await readTerms(trx, applicationId)
    if (service.isEnabled && !terms?.countries.includes(OPERATORS[operator].country.name)) return err('outside_countries')
    const before = await readService(trx, applicationId, operator, type)
    await upsertService(trx, applicationId, operator, type, service)
    const details = { ...serviceDetails(service), before: serviceDetails(before) }
    return done({ action: 'service.set', subject: `${operator} ${type}`, details })
  })
}

function serviceDetails({ isEnabled, enforcesLimits, minimumMinor, maximumMinor }: TransferService) {
  return {
    isEnabled,
    enforcesLimits,
    minimumMinor: minimumMinor === null ? null : String(minimumMinor),
    maximumMinor: maximumMinor === null ? null : String(maximumMinor),
  }
}
