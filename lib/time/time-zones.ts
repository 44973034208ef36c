import { type CountryName, OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'

/** Returns whether a value is the IANA name of a time zone known to this machine; an offset (`+01:00`) is not. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z][\w+\-/]*$/.test(name)) return false
  try {
    new Intl.DateTimeFormat('en-GB', { timeZone: name })
    return true
  } catch {
    // A name that this machine does not know.
    return false
  }
}

type TimeZoneChoice = { name: string; offset: string }
export type TimeZoneRegion = { region: string; zones: readonly TimeZoneChoice[] }

/**
 * The zones to choose from, by region and name, each with its distance from UTC at `now` (`+01:00`). UTC comes first, on
 * its own; `chosen` is included even if the machine's list has another name for it.
 */
export function listTimeZones(now: Date, chosen: string): TimeZoneRegion[] {
  const names = new Set(Intl.supportedValuesOf('timeZone').filter((name) => name.includes('/') && !name.startsWith('Etc/')))
  if (isTimeZone(chosen)) names.add(chosen)
  names.add('UTC')
  const regions = Map.groupBy([...names].sort(), (name) => (name.includes('/') ? name.slice(0, name.indexOf('/')) : ''))
  return [...regions]
    .map(([region, zones]) => ({ region, zones: zones.map((name) => ({ name, offset: offsetOf(name, now) })) }))
    .sort((left, right) => left.region.localeCompare(right.region))
}

/** Creating 400 formatters takes 50 ms, so the result is cached for a quarter of an hour, in which no zone changes. */
const SLOT_MS = 15 * 60_000
const offsets = new Map<string, string>()
let offsetsSlot = Number.NaN

function offsetOf(timeZone: string, now: Date): string {
  const slot = Math.floor(now.getTime() / SLOT_MS)
  if (slot !== offsetsSlot) offsets.clear()
  offsetsSlot = slot
  const known = offsets.get(timeZone)
  if (known !== undefined) return known
  const parts = new Intl.DateTimeFormat('en-GB', { timeZone, timeZoneName: 'longOffset' }).formatToParts(now)
  const name = parts.find((part) => part.type === 'timeZoneName')?.value ?? ''
  const offset = name.replace('GMT', '') || '+00:00'
  offsets.set(timeZone, offset)
  return offset
}

const COUNTRY_ZONES: Readonly<Record<CountryName, string>> = {
  CAMEROON: 'Africa/Douala',
  IVORY_COAST: 'Africa/Abidjan',
  SENEGAL: 'Africa/Dakar',
  BURKINA_FASO: 'Africa/Ouagadougou',
  MALI: 'Africa/Bamako',
  BENIN: 'Africa/Porto-Novo',
  UGANDA: 'Africa/Kampala',
}

/** The business zone of an application with these operators: that of their country; UTC for operators of several countries, or none. */
export function zoneOfOperators(operators: readonly OperatorCode[]): string {
  const zones = new Set(operators.map((code) => COUNTRY_ZONES[OPERATORS[code].country.name]))
  const [only] = zones
  return zones.size === 1 && only !== undefined ? only : 'UTC'
}
