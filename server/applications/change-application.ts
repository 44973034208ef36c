import { isCleanText } from '#lib/clean-text.ts'
import { COUNTRY_NAMES, type CountryName, OPERATOR_CODES, OPERATORS } from '#lib/operators.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { TRANSACTION_TYPES } from '#lib/transaction-status.ts'
import { isShownWebhookUrl } from '#lib/web-address.ts'
import { appendAudit } from '#server/audit/append-audit.ts'
import { type CommandActor, mayAct } from '#server/audit/command-actor.ts'
import { lockApplication } from '#server/database/application-locks.ts'
import type { Database, TrxClient } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { type NetworkProblem, parseNetwork } from './allow-list.ts'
import { type ApplicationChange, closeServices, findInstallation, updateApplication } from './application-store.ts'
import { readTerms } from './terms-queries.ts'

type ChangeFailure =
  | 'not_permitted'
  | 'invalid_name'
  | 'invalid_countries'
  | 'invalid_webhook_url'
  | 'unknown_application'
  | 'another_runs_installation'
  | NetworkProblem

/**
 * Changes an application's settings; omitted settings are unchanged. Its administrators change all of them but three: switching it off and
 * on, letting it run the installation, and the private networks that its webhooks may reach, are reserved for the machine administrator. A country that is left has its services switched off;
 * one that is joined has none switched on.
 */
export async function changeApplication(
  database: Database,
  command: { applicationId: string; change: ApplicationChange; actor: CommandActor },
): Promise<Result<void, ChangeFailure>> {
  const { applicationId, actor } = command
  if (!mayAct(actor, applicationId, 'access:change')) return err('not_permitted')
  const { isEnabled, runsInstallation, webhookNetworks } = command.change
  const isReserved = [isEnabled, runsInstallation, webhookNetworks].some((setting) => setting !== undefined)
  if (isReserved && actor.kind !== 'system') return err('not_permitted')
  const name = command.change.name?.trim()
  const networks = webhookNetworks?.map(parseNetwork) ?? []
  const unreadable = networks.find((network) => !network.ok)
  if (unreadable && !unreadable.ok) return unreadable
  const granted = networks.flatMap((network) => (network.ok ? [network.value] : [])).toSorted()
  const change = { ...command.change, name, webhookNetworks: webhookNetworks && granted }
  const problem = problemOf(change)
  if (problem) return err(problem)
  return withTransaction<void, ChangeFailure>(database, async (trx) => {
    if (!(await lockApplication(trx, applicationId))) return err('unknown_application')
    if (runsInstallation && (await findInstallation(trx, applicationId))) return err('another_runs_installation')
    const present = await readTerms(trx, applicationId)
    if (!(await updateApplication(trx, applicationId, change))) return err('unknown_application')
    const closedServices = change.countries ? await leaveOthers(trx, applicationId, change.countries) : []
    const changed = Object.entries(change).flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const]))
    const before = Object.entries(present ?? {}).filter(([key]) => changed.some(([name]) => name === key))
    await appendAudit(trx, {
      applicationId,
      actor,
      action: 'application.changed',
      subject: applicationId,
      details: {
        ...Object.fromEntries(changed),
        before: Object.fromEntries(before),
        ...(closedServices.length > 0 && { closedServices }),
      },
    })
    return ok(undefined)
  })
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
