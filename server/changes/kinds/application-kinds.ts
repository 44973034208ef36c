import { z } from 'zod'
import { UNDO_SECONDS_MAX } from '#lib/approvals/intended.ts'
import { FLOAT_WAIT_HOURS_MAX, feeFact, feeFactName, REFUND_FEES_FROM } from '#lib/money/fees.ts'
import { ACCOUNT_CHECKS_MAX } from '#lib/operators/account-check.ts'
import { COUNTRY_NAMES, OPERATORS } from '#lib/operators/operators.ts'
import { isReturnUrl, readLogo, SUPPORT_LENGTH_MAX } from '#lib/partner/customer-page.ts'
import { err, ok } from '#lib/result.ts'
import { direction, minor, text } from '#lib/schemas/proposal.ts'
import { isShownWebhookUrl } from '#lib/text/web-address.ts'
import { parseNetwork } from '#server/applications/access/allow-list.ts'
import { allowAddress, denyAddress } from '#server/applications/access/change-networks.ts'
import { setCustomerPage } from '#server/applications/customer-page.ts'
import { readCustomerPage } from '#server/applications/customer-page-store.ts'
import { setEventReceiver } from '#server/applications/event-receiver.ts'
import { readEventReceiver } from '#server/applications/event-receiver-store.ts'
import { changeApplication, setFeeSchedule, setTransferService } from '#server/applications/terms.ts'
import { isOnAllowList, readFees, readService, readTerms, readTimeZone } from '#server/applications/terms-store.ts'
import { checkTimeZone, requestTimeZone } from '#server/applications/time-zone.ts'
import { type ChangeKind, defineKind } from '#server/changes/change-kind.ts'

const settings: ChangeKind = defineKind({
  schema: z.strictObject({
    name: text(200).min(1),
    requiresSecondFactor: z.boolean(),
    copiesWebhookStatus: z.boolean(),
    allowsCombinedRoles: z.boolean(),
    countries: z
      .array(z.enum(COUNTRY_NAMES))
      .min(1)
      .refine((countries) => new Set(countries).size === countries.length),
    defaultWebhookUrl: z.string().refine(isShownWebhookUrl).nullable(),
    floatWaitHours: z.int().min(1).max(FLOAT_WAIT_HOURS_MAX),
    refundFeesFrom: z.enum(REFUND_FEES_FROM),
    undoSeconds: z.int().min(0).max(UNDO_SECONDS_MAX),
    accountChecksMax: z.int().min(0).max(ACCOUNT_CHECKS_MAX),
    allowsPaymentLinks: z.boolean(),
  }),
  subjectOf: () => 'settings',
  async read(queryable, applicationId, payload) {
    const terms = await readTerms(queryable, applicationId)
    return terms ? ok({ before: terms, after: { ...payload, countries: [...payload.countries].sort() } }) : err('unknown_application')
  },
  apply: (trx, { applicationId, payload, actor }) => changeApplication(trx, { applicationId, change: payload, actor }),
})

/** The page of customers of the application. Both people see the picture itself. */
const customerPage: ChangeKind = defineKind({
  schema: z.strictObject({
    logo: z
      .string()
      .max(6_000)
      .refine((address) => readLogo(address) !== undefined)
      .nullable(),
    support: text(SUPPORT_LENGTH_MAX).min(1).nullable(),
    returnUrl: z.string().refine(isReturnUrl).nullable(),
    offersRetry: z.boolean(),
  }),
  subjectOf: () => 'customer page',
  read: async (queryable, applicationId, after) => ok({ before: await readCustomerPage(queryable, applicationId), after }),
  apply: (trx, { applicationId, payload, actor }) => setCustomerPage(trx, { applicationId, page: payload, actor }),
})

/** Where the events of the application are sent. */
const eventReceiver: ChangeKind = defineKind({
  schema: z.strictObject({ eventsUrl: z.string().refine(isShownWebhookUrl).nullable() }),
  subjectOf: () => 'event receiver',
  read: async (queryable, applicationId, after) => ok({ before: { eventsUrl: await readEventReceiver(queryable, applicationId) }, after }),
  apply: (trx, { applicationId, payload, actor }) => setEventReceiver(trx, { applicationId, url: payload.eventsUrl, actor }),
})

/** Takes effect once the sums of its days are counted. The zone that is waited for counts as the present one. */
const timeZone: ChangeKind = defineKind({
  schema: z.strictObject({ timeZone: text(60).min(1) }),
  subjectOf: () => 'time zone',
  async read(queryable, applicationId, payload) {
    const problem = await checkTimeZone(queryable, payload.timeZone)
    if (problem) return err(problem)
    const present = await readTimeZone(queryable, applicationId)
    return present ? ok({ before: { timeZone: present.wantedTimeZone ?? present.timeZone }, after: payload }) : err('unknown_application')
  },
  apply: (trx, { applicationId, payload, actor }) => requestTimeZone(trx, { applicationId, ...payload, actor }),
})

const service: ChangeKind = defineKind({
  schema: z.strictObject({
    ...direction,
    isEnabled: z.boolean(),
    enforcesLimits: z.boolean(),
    minimumMinor: minor.nullable(),
    maximumMinor: minor.nullable(),
  }),
  subjectOf: ({ operator, type }) => `${operator} ${type}`,
  async read(queryable, applicationId, { operator, type, ...after }) {
    const terms = await readTerms(queryable, applicationId)
    if (after.isEnabled && !terms?.countries.includes(OPERATORS[operator].country.name)) return err('outside_countries')
    const present = await readService(queryable, applicationId, operator, type)
    const before = { ...present, minimumMinor: textOf(present.minimumMinor), maximumMinor: textOf(present.maximumMinor) }
    return ok({ before: { operator, type, ...before }, after: { operator, type, ...after } })
  },
  apply(trx, { applicationId, payload: { operator, type, ...limits }, actor }) {
    const [minimumMinor, maximumMinor] = [amountOf(limits.minimumMinor), amountOf(limits.maximumMinor)]
    return setTransferService(trx, { applicationId, operator, type, service: { ...limits, minimumMinor, maximumMinor }, actor })
  },
})

/** The application's own part in one or several directions of one currency: the service's part is not its to change. One fact for each direction. */
const fees: ChangeKind = defineKind({
  schema: z.strictObject({
    directions: z
      .array(z.strictObject(direction))
      .min(1)
      .refine((all) => new Set(all.map(({ operator, type }) => `${operator} ${type}`)).size === all.length)
      .refine((all) => new Set(all.map(({ operator }) => OPERATORS[operator].country.currency)).size === 1),
    appRatePpm: z.int().min(0).max(999_999),
    appFixedMinor: minor,
  }),
  subjectOf: () => 'fees',
  async read(queryable, applicationId, { directions, appRatePpm, appFixedMinor }) {
    const facts = await Promise.all(
      directions.map(async ({ operator, type }) => {
        const present = await readFees(queryable, applicationId, operator, type)
        const name = feeFactName(operator, type)
        return { name, before: feeFact(present.appRatePpm, String(present.appFixedMinor)), after: feeFact(appRatePpm, appFixedMinor) }
      }),
    )
    return ok({
      before: Object.fromEntries(facts.map(({ name, before }) => [name, before])),
      after: Object.fromEntries(facts.map(({ name, after }) => [name, after])),
    })
  },
  async apply(trx, { applicationId, payload: { directions, appRatePpm, appFixedMinor }, actor }) {
    for (const { operator, type } of directions) {
      const present = await readFees(trx, applicationId, operator, type)
      const changed = { ...present, appRatePpm, appFixedMinor: BigInt(appFixedMinor) }
      const set = await setFeeSchedule(trx, { applicationId, operator, type, fees: changed, actor })
      if (!set.ok) return set
    }
    return ok(undefined)
  },
})

const allowance: ChangeKind = defineKind({
  schema: z.strictObject({ network: text(60).min(1), note: text(200) }),
  subjectOf: ({ network }) => canonical(network),
  async read(queryable, applicationId, { network, note }) {
    const parsed = parseNetwork(network)
    if (!parsed.ok) return parsed
    const present = { network: parsed.value }
    if (await isOnAllowList(queryable, applicationId, parsed.value)) return ok({ before: present, after: present })
    return ok({ before: { network: null }, after: { ...present, note } })
  },
  apply: (trx, { applicationId, payload, actor }) => allowAddress(trx, { applicationId, ...payload, actor }),
})

const removal: ChangeKind = defineKind({
  schema: z.strictObject({ network: text(60).min(1) }),
  subjectOf: ({ network }) => canonical(network),
  async read(queryable, applicationId, { network }) {
    const parsed = parseNetwork(network)
    if (!parsed.ok) return parsed
    if (!(await isOnAllowList(queryable, applicationId, parsed.value))) return err('not_on_the_list')
    return ok({ before: { network: parsed.value }, after: { network: null } })
  },
  apply: (trx, { applicationId, payload, actor }) => denyAddress(trx, { applicationId, ...payload, actor }),
})

/** Two spellings of one network are one subject. */
function canonical(network: string): string {
  const parsed = parseNetwork(network)
  return parsed.ok ? parsed.value : network
}

function textOf(amountMinor: bigint | null): string | null {
  return amountMinor === null ? null : String(amountMinor)
}

function amountOf(text: string | null): bigint | null {
  return text === null ? null : BigInt(text)
}

export const APPLICATION_KINDS = {
  'application.set': settings,
  'customer_page.set': customerPage,
  'event_receiver.set': eventReceiver,
  'time_zone.set': timeZone,
  'service.set': service,
  'fees.set': fees,
  'address.allow': allowance,
  'address.deny': removal,
}
