import { foldText } from '#lib/fold-text.ts'
import { COUNTRIES, COUNTRY_NAMES, type CountryName, isOperatorCode, OPERATOR_CODES, OPERATORS, type OperatorCode } from '#lib/operators.ts'
import { type BatchCell, cellText } from './batch-cell.ts'
import type { ProblemKind } from './batch-fields.ts'

/** How people write a country, folded; the codes and the names of the interface are added below. */
const COUNTRY_WORDS: Readonly<Record<CountryName, readonly string[]>> = {
  CAMEROON: ['cameroon', 'cameroun', 'cmr', '237'],
  IVORY_COAST: ['ivory coast', 'cote d ivoire', 'cote divoire', 'rci', 'civ', '225'],
  SENEGAL: ['senegal', 'sen', '221'],
  BURKINA_FASO: ['burkina faso', 'burkina', 'bfa', '226'],
  MALI: ['mali', 'mli', '223'],
  BENIN: ['benin', 'ben', '229'],
  UGANDA: ['uganda', 'ouganda', 'uga', '256'],
}

const COUNTRIES_BY_WORD = new Map(
  COUNTRY_NAMES.flatMap((name) =>
    [foldText(name), COUNTRIES[name].code.toLowerCase(), ...COUNTRY_WORDS[name]].map((word) => [word, name] as const),
  ),
)

type Brand = (typeof OPERATORS)[OperatorCode]['brand']
/** Words that mean a brand; the names of the products as well as of the companies. */
const BRANDS: readonly (readonly [RegExp, Brand])[] = [
  [/\b(?:orange|om)\b/, 'Orange'],
  [/\b(?:mtn|momo)\b/, 'MTN'],
  [/\bwave\b/, 'Wave'],
  [/\b(?:free|yas|mixx)\b/, 'Free'],
  [/\b(?:moov|flooz)\b/, 'Moov'],
  [/\bairtel\b/, 'Airtel'],
]

/** The country that a cell names; undefined if it names none that is served. */
export function readCountry(cell: BatchCell | undefined): CountryName | undefined {
  return COUNTRIES_BY_WORD.get(foldText(cellText(cell)))
}

type OperatorReading = { operator?: OperatorCode; problem?: ProblemKind }

/**
 * Reads an operator: a code (`MOMOCM`), or a name (`Orange Money`, `MTN Cameroun`). A name without a country is completed by `country`,
 * which is what the row says about its country elsewhere. An empty cell is the operator of the whole file.
 */
export function readOperator(
  cell: BatchCell | undefined,
  country: CountryName | undefined,
  defaultOperator: OperatorCode | null,
): OperatorReading {
  const text = cellText(cell).trim()
  if (text === '') return defaultOperator ? { operator: defaultOperator } : { problem: 'operator_missing' }
  const code = text.toUpperCase()
  if (isOperatorCode(code)) return { operator: code }
  const folded = foldText(text)
  const brand = BRANDS.find(([pattern]) => pattern.test(folded))?.[1]
  if (!brand) return { problem: 'operator_unknown' }
  const named = countryWithin(folded) ?? country
  const ofBrand = OPERATOR_CODES.filter((each) => OPERATORS[each].brand === brand)
  const inCountry = ofBrand.filter((each) => OPERATORS[each].country.name === named)
  // A brand of one country needs no other word.
  const [only, other] = inCountry.length > 0 ? inCountry : ofBrand
  return only && other === undefined ? { operator: only } : { problem: 'operator_unknown' }
}

function countryWithin(folded: string): CountryName | undefined {
  for (const [word, name] of COUNTRIES_BY_WORD) if (new RegExp(`\\b${word}\\b`).test(folded)) return name
  return undefined
}
