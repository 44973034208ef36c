import { type CountryName, OPERATORS, type OperatorCode } from './operators.ts'

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
