import { randomUUID } from 'node:crypto'
import { DEFAULT_FEE_SCHEDULE, smallestCollect } from '#lib/money/fees.ts'
import { formatMinor } from '#lib/money/money.ts'
import { OPERATORS } from '#lib/operators/operators.ts'
import { ok } from '#lib/result.ts'
import { zoneOfOperators } from '#lib/time/time-zones.ts'
import { listAccess, listApplications, listOpenOperators } from '#server/applications/access/access-store.ts'
import { createApplication } from '#server/applications/create-application.ts'
import { changeApplication, setFeeSchedule, setTransferService } from '#server/applications/terms.ts'
import { appendAudit } from '#server/audit/append-audit.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { readStampedMode } from '#server/database/embedded/database-mode.ts'
import type { Pool } from '#server/database/pool.ts'
import { withTransaction } from '#server/database/with-transaction.ts'
import { fundBalance } from '#server/ledger/fundings.ts'
import { setTimeZone } from '#server/reports/business-days/set-time-zone.ts'
import { AdminError, type Command, type Options, type Output, optional, required, unwrap } from './command.ts'
import { amountOf, applicationOf, countriesOf, networksOf, operatorsOf, percentOf, textOf, typesOf, yesOrNo } from './read-options.ts'

/** All applications, or who and what may use one of them. */
const LIST_COMMAND: Command = {
  name: 'list',
  summary: 'Show all applications, or who may use one',
  options: { application: optional('ID|NAME') },
  run: list,
}

async function list(pool: Pool, options: Options): Promise<Output> {
  if (options['application'] === undefined) {
    const applications = await listApplications(pool)
    return {
      tables: {
        applications: applications.map((one) => ({
          name: one.name,
          applicationId: one.applicationId,
          apiId: one.apiId,
          timeZone: one.timeZone,
          enabled: yes(one.isEnabled),
          runsInstallation: yes(one.runsInstallation),
        })),
      },
    }
  }
  const application = await applicationOf(pool, options)
  const { keys, apiUsers, addresses, people } = await listAccess(pool, application.applicationId)
  return {
    facts: {
      name: application.name,
      applicationId: application.applicationId,
      apiId: application.apiId,
      timeZone: application.timeZone,
      enabled: yes(application.isEnabled),
    },
    tables: {
      keys: keys.map((key) => ({
        key: key.apiKeyId,
        name: key.name,
        begins: key.keyPrefix,
        expires: day(key.expiresAt),
        revoked: day(key.revokedAt),
      })),
      apiUsers: apiUsers.map((user) => ({ username: user.username, apiUserId: user.apiUserId, blocked: yes(user.isBlocked) })),
      addresses: addresses.map((entry) => ({ network: entry.network, note: entry.note })),
      people: people.map((person) => ({
        name: person.name,
        email: person.email,
        personId: person.personId,
        roles: person.roles.join(','),
        active: yes(person.isActive && !person.isBlocked),
        secondFactor: yes(person.hasSecondFactor),
      })),
    },
  }
}

function yes(value: boolean): string {
  return value ? 'yes' : 'no'
}

function day(at: Date | null): string {
  return at ? at.toISOString() : '-'
}

const actor = SYSTEM_ACTOR
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Applications and the terms they work under. */
export const APPLICATION_COMMANDS: readonly Command[] = [
  {
    name: 'create-application',
    summary: 'Create an application; it has no key and no API user yet. In production it requires a second factor unless told otherwise',
    options: { name: required('NAME'), 'time-zone': optional('ZONE'), 'second-factor': optional('yes|no') },
    usesSecrets: true,
    async run(pool, options) {
      const created = unwrap(
        await createApplication(pool, {
          name: textOf(options, 'name'),
          requiresSecondFactor: yesOrNo(options, 'second-factor') ?? (await readStampedMode(pool)) !== 'sandbox',
          timeZone: options['time-zone'],
          actor,
        }),
      )
      return {
        facts: { applicationId: created.applicationId, apiId: created.apiId, webhookSecret: created.webhookSecret },
        showsSecret: true,
      }
    },
  },
  {
    name: 'set-application',
    summary:
      'Change its name, countries and default webhook address, require a second factor, add transactionStatus to its webhooks, let two of its administrators change how the operators are reached, allow maker, checker and administrator in one person, grant private networks to its webhooks',
    options: {
      application: required('ID|NAME'),
      name: optional('NAME'),
      'second-factor': optional('yes|no'),
      'webhook-status-copy': optional('yes|no'),
      countries: optional('NAME,NAME|all'),
      'default-webhook-url': optional('URL|none'),
      'runs-installation': optional('yes|no'),
      'combined-roles': optional('yes|no'),
      'webhook-networks': optional('NETWORK,NETWORK|none'),
    },
    async run(pool, options) {
      const { applicationId } = await applicationOf(pool, options)
      const change = {
        name: options['name'],
        requiresSecondFactor: yesOrNo(options, 'second-factor'),
        copiesWebhookStatus: yesOrNo(options, 'webhook-status-copy'),
        countries: countriesOf(options),
        runsInstallation: yesOrNo(options, 'runs-installation'),
        allowsCombinedRoles: yesOrNo(options, 'combined-roles'),
        webhookNetworks: networksOf(options),
        defaultWebhookUrl: options['default-webhook-url'] === 'none' ? null : options['default-webhook-url'],
      }
      unwrap(await changeApplication(pool, { applicationId, change, actor }))
      return { facts: { applicationId } }
    },
  },
  {
    name: 'set-time-zone',
    summary: 'Set in which zone its days begin and end in the back office (left out: that of the country of its services)',
    options: { application: required('ID|NAME'), 'time-zone': optional('ZONE') },
    run: setZone,
  },
  {
    name: 'enable-application',
    summary: 'Let it call again',
    options: { application: required('ID|NAME') },
    run: (pool, options) => setEnabled(pool, options, true),
  },
  {
    name: 'disable-application',
    summary: 'Answer all its calls with 403',
    options: { application: required('ID|NAME') },
    run: (pool, options) => setEnabled(pool, options, false),
  },
  {
    name: 'set-service',
    summary: 'Switch an operator on or off; set the amount limits (left out: none)',
    options: {
      application: required('ID|NAME'),
      operator: required('CODE|all'),
      enabled: required('yes|no'),
      type: optional('collect|deposit|both'),
      minimum: optional('AMOUNT'),
      maximum: optional('AMOUNT'),
      'enforce-limits': optional('yes|no'),
    },
    run: setServices,
  },
  {
    name: 'set-fees',
    summary: 'Set the fees of an operator (left out: 1 and 0.5 percent, nothing fixed)',
    options: {
      application: required('ID|NAME'),
      operator: required('CODE|all'),
      type: optional('collect|deposit|both'),
      'system-percent': optional('PERCENT'),
      'system-fixed': optional('AMOUNT'),
      'app-percent': optional('PERCENT'),
      'app-fixed': optional('AMOUNT'),
    },
    run: setFees,
  },
  {
    name: 'fund',
    summary: 'Add money to a deposit balance; the same --id twice adds once',
    options: {
      application: required('ID|NAME'),
      operator: required('CODE|all'),
      amount: required('AMOUNT'),
      reason: optional('TEXT'),
      id: optional('UUID'),
    },
    run: fund,
  },
  LIST_COMMAND,
]

async function setZone(pool: Pool, options: Options): Promise<Output> {
  const { applicationId } = await applicationOf(pool, options)
  const timeZone = options['time-zone'] ?? zoneOfOperators(await listOpenOperators(pool, applicationId))
  const { before, after } = unwrap(await setTimeZone(pool, { applicationId, timeZone, actor }))
  return { facts: { applicationId, before, timeZone: after } }
}

async function setEnabled(pool: Pool, options: Options, isEnabled: boolean): Promise<Output> {
  const { applicationId } = await applicationOf(pool, options)
  unwrap(await changeApplication(pool, { applicationId, change: { isEnabled }, actor }))
  return { facts: { applicationId, enabled: isEnabled ? 'yes' : 'no' } }
}

async function setServices(pool: Pool, options: Options): Promise<Output> {
  const { applicationId } = await applicationOf(pool, options)
  const service = {
    isEnabled: yesOrNo(options, 'enabled') ?? true,
    enforcesLimits: yesOrNo(options, 'enforce-limits') ?? false,
    minimumMinor: amountOf(options, 'minimum') ?? null,
    maximumMinor: amountOf(options, 'maximum') ?? null,
  }
  const pairs = operatorsOf(options).flatMap((operator) => typesOf(options).map((type) => ({ operator, type })))
  for (const { operator, type } of pairs) unwrap(await setTransferService(pool, { applicationId, operator, type, service, actor }))
  return { facts: { applicationId, services: String(pairs.length), enabled: service.isEnabled ? 'yes' : 'no' } }
}

async function setFees(pool: Pool, options: Options): Promise<Output> {
  const { applicationId } = await applicationOf(pool, options)
  const fees = {
    systemRatePpm: percentOf(options, 'system-percent') ?? DEFAULT_FEE_SCHEDULE.systemRatePpm,
    systemFixedMinor: amountOf(options, 'system-fixed', true) ?? 0n,
    appRatePpm: percentOf(options, 'app-percent') ?? DEFAULT_FEE_SCHEDULE.appRatePpm,
    appFixedMinor: amountOf(options, 'app-fixed', true) ?? 0n,
  }
  const pairs = operatorsOf(options).flatMap((operator) => typesOf(options).map((type) => ({ operator, type })))
  for (const { operator, type } of pairs) unwrap(await setFeeSchedule(pool, { applicationId, operator, type, fees, actor }))
  const currencies = new Set(pairs.flatMap(({ operator, type }) => (type === 'COLLECT' ? [OPERATORS[operator].country.currency] : [])))
  const smallest = [...currencies].map((currency) => `${formatMinor(smallestCollect(fees, currency))} ${currency}`)
  return {
    facts: {
      applicationId,
      schedules: String(pairs.length),
      // Smaller ones are refused, because nothing would be left of them.
      ...(smallest.length > 0 && { smallestCollect: smallest.join(', ') }),
    },
  }
}

async function fund(pool: Pool, options: Options): Promise<Output> {
  const { applicationId } = await applicationOf(pool, options)
  const operators = operatorsOf(options)
  const amountMinor = amountOf(options, 'amount') ?? 0n
  const reason = options['reason'] ?? 'Funded at the command line'
  const fundingId = options['id'] ?? randomUUID()
  if (!UUID.test(fundingId)) throw new AdminError('--id takes a UUID.', 2)
  if (options['id'] !== undefined && operators.length > 1)
    throw new AdminError('--id identifies one funding and requires exactly one operator.', 2)
  // All operators or none: repeating a command that failed in the middle must not fund the first ones twice.
  const added = unwrap(
    await withTransaction<number, 'unknown_application'>(pool, async (trx) => {
      let count = 0
      for (const operator of operators) {
        const id = operators.length > 1 ? randomUUID() : fundingId
        const funded = await fundBalance(trx, { applicationId, operator, amountMinor, fundingId: id, actorId: null, reason })
        if (!funded.ok) return funded
        if (!funded.value.isNew) continue
        const details = { operator, currency: OPERATORS[operator].country.currency, amountMinor: String(amountMinor), reason }
        await appendAudit(trx, { applicationId, actor, action: 'balance.funded', subject: id, details })
        count++
      }
      return ok(count)
    }),
  )
  if (added === 0) return { facts: { applicationId, fundingId, added: 'nothing: this funding was there already' } }
  return {
    facts: {
      applicationId,
      ...(operators.length === 1 && { fundingId }),
      operators: operators.join(' '),
      amount: formatMinor(amountMinor),
    },
  }
}
