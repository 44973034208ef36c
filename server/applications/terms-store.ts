import { DEFAULT_FEE_SCHEDULE, type FeeSchedule, type RefundFeesFrom } from '#lib/money/fees.ts'
import type { CountryName, OperatorCode } from '#lib/operators/operators.ts'
import type { TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import type { Queryable } from '#server/database/pool.ts'
import { OPEN_SERVICE, type TransferService } from './snapshot.ts'

type ApplicationTerms = {
  name: string
  requiresSecondFactor: boolean
  copiesWebhookStatus: boolean
  /** Whether one person may be maker, checker and administrator. */
  allowsCombinedRoles: boolean
  /** In alphabetical order. */
  countries: CountryName[]
  defaultWebhookUrl: string | null
  /** How long its deposits wait for float before they end as FAILED. */
  floatWaitHours: number
  /** Who pays the fees of a refund. */
  refundFeesFrom: RefundFeesFrom
  /** How long people can undo a validation, in seconds. */
  undoSeconds: number
  /** Accounts that may be checked at operators within 24 hours. */
  accountChecksMax: number
  /** Whether makers may create payment links, and customers pay at them. */
  allowsPaymentLinks: boolean
}

/** Returns the settings of an application that its administrators may change; undefined if there is no such application. */
export async function readTerms(queryable: Queryable, applicationId: string): Promise<ApplicationTerms | undefined> {
  const { rows } = await queryable.query<ApplicationTerms>(
    `select name, requires_second_factor as "requiresSecondFactor", copies_webhook_status as "copiesWebhookStatus",
            allows_combined_roles as "allowsCombinedRoles",
            array(select unnest(countries) as c order by c) as countries, default_webhook_url as "defaultWebhookUrl",
            float_wait_hours as "floatWaitHours", refund_fees_from as "refundFeesFrom", undo_seconds as "undoSeconds",
            account_checks_max as "accountChecksMax", allows_payment_links as "allowsPaymentLinks"
       from applications where application_id = $1`,
    [applicationId],
  )
  return rows[0]
}

/** Whether its administrators may change how the operators are reached: only the command line says so, of one application. */
export async function runsInstallation(queryable: Queryable, applicationId: string): Promise<boolean> {
  const { rowCount } = await queryable.query('select 1 from applications where application_id = $1 and runs_installation', [applicationId])
  return rowCount === 1
}

/** Returns the business time zone of an application, and the one that it gets as soon as its sums are counted; undefined if there is none. */
export async function readTimeZone(
  queryable: Queryable,
  applicationId: string,
): Promise<{ timeZone: string; wantedTimeZone: string | null } | undefined> {
  const { rows } = await queryable.query<{ timeZone: string; wantedTimeZone: string | null }>(
    `select a.time_zone as "timeZone", (select z.time_zone from day_zones z
              where z.application_id = a.application_id and z.is_wanted order by z.time_zone limit 1) as "wantedTimeZone"
       from applications a where a.application_id = $1`,
    [applicationId],
  )
  return rows[0]
}

type OfService<Terms> = Terms & { operator: OperatorCode; type: TransactionType }

/** Returns the transfer services of an application that were ever set; every other one is on, without limits. */
export async function listServices(queryable: Queryable, applicationId: string): Promise<OfService<TransferService>[]> {
  const { rows } = await queryable.query<OfService<TransferService>>(
    `select operator, type, is_enabled as "isEnabled", enforces_limits as "enforcesLimits", minimum_minor as "minimumMinor",
            maximum_minor as "maximumMinor"
       from transfer_services where application_id = $1`,
    [applicationId],
  )
  return rows
}

/** Returns the fee schedules of an application that were ever set; every other one is the default. */
export async function listFees(queryable: Queryable, applicationId: string): Promise<OfService<FeeSchedule>[]> {
  const { rows } = await queryable.query<OfService<FeeSchedule>>(
    `select operator, type, system_rate_ppm as "systemRatePpm", system_fixed_minor as "systemFixedMinor",
            app_rate_ppm as "appRatePpm", app_fixed_minor as "appFixedMinor"
       from fee_schedules where application_id = $1`,
    [applicationId],
  )
  return rows
}

/** Returns one transfer service. Never set: in service, without limits of its own. */
export async function readService(
  queryable: Queryable,
  applicationId: string,
  operator: OperatorCode,
  type: TransactionType,
): Promise<TransferService> {
  const { rows } = await queryable.query<TransferService>(
    `select is_enabled as "isEnabled", enforces_limits as "enforcesLimits", minimum_minor as "minimumMinor", maximum_minor as "maximumMinor"
       from transfer_services where application_id = $1 and operator = $2 and type = $3`,
    [applicationId, operator, type],
  )
  return rows[0] ?? OPEN_SERVICE
}

/** Returns the transfer services that an application has switched off. */
export async function listClosedServices(
  queryable: Queryable,
  applicationId: string,
): Promise<{ operator: OperatorCode; type: TransactionType }[]> {
  const { rows } = await queryable.query<{ operator: OperatorCode; type: TransactionType }>(
    'select operator, type from transfer_services where application_id = $1 and not is_enabled',
    [applicationId],
  )
  return rows
}

/** Returns the fees of one operator and direction. Never set: the default ones. */
export async function readFees(
  queryable: Queryable,
  applicationId: string,
  operator: OperatorCode,
  type: TransactionType,
): Promise<FeeSchedule> {
  const { rows } = await queryable.query<FeeSchedule>(
    `select system_rate_ppm as "systemRatePpm", system_fixed_minor as "systemFixedMinor",
            app_rate_ppm as "appRatePpm", app_fixed_minor as "appFixedMinor"
       from fee_schedules where application_id = $1 and operator = $2 and type = $3`,
    [applicationId, operator, type],
  )
  return rows[0] ?? DEFAULT_FEE_SCHEDULE
}

/** Whether a network is on the allow list, in its canonical spelling. */
export async function isOnAllowList(queryable: Queryable, applicationId: string, network: string): Promise<boolean> {
  const { rowCount } = await queryable.query('select 1 from ip_allow_entries where application_id = $1 and network = $2', [
    applicationId,
    network,
  ])
  return rowCount === 1
}
