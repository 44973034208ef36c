import { notFound } from 'next/navigation'
import { DEFAULT_FEE_SCHEDULE } from '#lib/fees.ts'
import { OPERATOR_CODES, OPERATORS } from '#lib/operators.ts'
import type { ServiceTerms, SettingsTerms } from '#lib/terms.ts'
import { TRANSACTION_TYPES } from '#lib/transaction-status.ts'
import { OPEN_SERVICE } from '#server/applications/snapshot.ts'
import { listFees, listServices, readTerms, readTimeZone } from '#server/applications/terms-queries.ts'
import type { Pool } from '#server/database/pool.ts'

type PageTerms = { settings: SettingsTerms; zone: { timeZone: string; wantedTimeZone: string | null }; services: ServiceTerms[] }

/** Everything on the page, from the database: what was confirmed a moment ago is in it, also before this process works with it. */
export async function readPageTerms(pool: Pool, applicationId: string): Promise<PageTerms> {
  const [settings, zone, services, fees] = await Promise.all([
    readTerms(pool, applicationId),
    readTimeZone(pool, applicationId),
    listServices(pool, applicationId),
    listFees(pool, applicationId),
  ])
  if (!settings || !zone) notFound()
  const textOf = (minor: bigint | null) => (minor === null ? null : String(minor))
  return {
    settings,
    zone,
    services: OPERATOR_CODES.flatMap((operator) =>
      TRANSACTION_TYPES.map((type): ServiceTerms => {
        const isOwn = (row: { operator: string; type: string }) => row.operator === operator && row.type === type
        const service = services.find(isOwn) ?? OPEN_SERVICE
        const schedule = fees.find(isOwn) ?? DEFAULT_FEE_SCHEDULE
        return {
          operator,
          type,
          isInCountries: settings.countries.includes(OPERATORS[operator].country.name),
          isEnabled: service.isEnabled,
          enforcesLimits: service.enforcesLimits,
          minimumMinor: textOf(service.minimumMinor),
          maximumMinor: textOf(service.maximumMinor),
          systemRatePpm: schedule.systemRatePpm,
          systemFixedMinor: String(schedule.systemFixedMinor),
          appRatePpm: schedule.appRatePpm,
          appFixedMinor: String(schedule.appFixedMinor),
        }
      }),
    ),
  }
}
