import {
  COUNTRIES,
  COUNTRY_NAMES,
  type CountryName,
  isOperatorCode,
  OPERATOR_CODES,
  OPERATORS,
  type OperatorCode,
} from '#lib/operators/operators.ts'
import { phoneNumberForms } from '#lib/payments/phone-number.ts'
import { foldText } from '#lib/text/clean-text.ts'
import { type BatchCell, cellKind, cellText, type ProblemKind, type RowProblem, type RowRepair } from './batch-fields.ts'
import { looksLikeDate, readExponent, readStoredNumber } from './read-amount.ts'

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

/** The digits of a number without its dial code, newest plan first. */
export const NATIONAL_LENGTHS: Readonly<Record<CountryName, readonly number[]>> = {
  CAMEROON: [9],
  IVORY_COAST: [10, 8],
  SENEGAL: [9],
  BURKINA_FASO: [8],
  MALI: [8],
  BENIN: [10, 8],
  UGANDA: [9],
}

/** Signs that people write between digits. */
const BETWEEN = /[\s\u00a0\u202f\u2009\u200e\u200f\u202a-\u202c\ufeff().\-‐‑–/']/g
const REPAIRS: Partial<Record<CountryName, 'benin' | 'ivory_coast'>> = { BENIN: 'benin', IVORY_COAST: 'ivory_coast' }

type PhoneReading = {
  phoneNumber?: string
  problem?: Omit<RowProblem, 'field'> & { kind: ProblemKind }
  repairs: RowRepair[]
}

type PhoneContext = {
  /** The country of the operator; undefined while the operator is not known. */
  country: CountryName | undefined
  isAccepted(kind: RowRepair['kind']): boolean
}

/** The country whose dial code a cell starts with, for operators that are named without a country. */
export function dialledCountry(cell: BatchCell | undefined): CountryName | undefined {
  const digits = toDigits(cell)
  if (digits === undefined) return undefined
  return COUNTRY_NAMES.find((name) => isComplete(digits, name))
}

/**
 * Reads a phone number in the international form without +. Spaces and signs between digits, `+` and `00` are removed silently, because
 * no digit changes. Added digits are repairs that a person accepts: a missing dial code, the 01 of Benin, the prefix of Ivory Coast.
 */
export function readPhone(cell: BatchCell | undefined, context: PhoneContext): PhoneReading {
  const shown = cellText(cell).trim()
  const refused = (kind: ProblemKind, repairs: RowRepair[] = [], values?: Record<string, string>): PhoneReading => ({
    problem: { kind, ...(values ? { values } : {}) },
    repairs,
  })
  const kind = cellKind(cell)
  if (kind === 'error') return refused('phone_error')
  if (shown === '') return refused('phone_missing')
  if (kind === 'date' || (kind === 'text' && looksLikeDate(shown))) return refused('phone_date')
  const exponent = kind === 'text' ? readExponent(shown.replace(/^\+/, '')) : undefined
  if (exponent === 'lost') return refused('phone_digits_lost')
  const digits = toDigits(cell)
  if (digits === undefined) return refused('phone_characters')
  const repairs: RowRepair[] = []
  if (exponent) {
    repairs.push({ field: 'phoneNumber', kind: 'exponent', before: shown, after: digits })
    if (!context.isAccepted('exponent')) return refused('phone_digits_lost', repairs)
  }
  return inCountry(digits, repairs, context, refused)
}

type Refuse = (kind: ProblemKind, repairs?: RowRepair[], values?: Record<string, string>) => PhoneReading

function inCountry(digits: string, repairs: RowRepair[], { country, isAccepted }: PhoneContext, refused: Refuse): PhoneReading {
  // The operator has a problem of its own; the general form is all that can be said.
  if (!country) return /^\d{10,15}$/.test(digits) ? { phoneNumber: digits, repairs } : refused('phone_length', repairs, { digits: '10–15' })
  const { dialCode } = COUNTRIES[country]
  const lengths = NATIONAL_LENGTHS[country]
  let phoneNumber = digits
  if (!isComplete(digits, country)) {
    const national = digits.length === (lengths[0] ?? 0) + 1 && digits.startsWith('0') ? digits.slice(1) : digits
    if (!isNational(national, country)) {
      const other = COUNTRY_NAMES.find((name) => isComplete(digits, name))
      if (other) return refused('phone_country', repairs, { dialCode, country })
      return refused('phone_length', repairs, { digits: `${dialCode.length + (lengths[0] ?? 0)}`, dialCode })
    }
    phoneNumber = dialCode + national
    repairs.push({ field: 'phoneNumber', kind: 'dial_code', before: digits, after: phoneNumber })
    if (!isAccepted('dial_code')) return refused('phone_dial_code', repairs, { dialCode })
  }
  const kind = REPAIRS[country]
  const [present] = phoneNumberForms(phoneNumber)
  if (kind && present !== phoneNumber) {
    repairs.push({ field: 'phoneNumber', kind, before: phoneNumber, after: present })
    // The old number is still a number, so the row can be sent as it is.
    if (isAccepted(kind)) phoneNumber = present
  }
  return { phoneNumber, repairs }
}

function isComplete(digits: string, country: CountryName): boolean {
  const { dialCode } = COUNTRIES[country]
  return digits.startsWith(dialCode) && isNational(digits.slice(dialCode.length), country)
}

/**
 * Whether digits can be a number of the country without its dial code. No mobile number there begins with the dial code itself: digits that do are a
 * number that lacks some, or has the dial code twice. In Benin no number began with 0 or 1 before all of them received 01, so eight such
 * digits are a present number that lacks two. In Ivory Coast the old numbers do begin like the present ones, so there it cannot be told.
 */
function isNational(digits: string, country: CountryName): boolean {
  if (!NATIONAL_LENGTHS[country].includes(digits.length) || digits.startsWith(COUNTRIES[country].dialCode)) return false
  return country !== 'BENIN' || digits.length !== 8 || !/^[01]/.test(digits)
}

/** The digits of a cell without what is written around them; undefined if it contains anything else. */
function toDigits(cell: BatchCell | undefined): string | undefined {
  const shown = cellText(cell).trim()
  const kind = cellKind(cell)
  if (kind === 'error' || kind === 'date') return undefined
  const exponent = kind === 'text' ? readExponent(shown.replace(/^\+/, '')) : undefined
  if (exponent === 'lost') return undefined
  const plain = kind === 'number' ? readStoredNumber(shown) : (exponent?.digits ?? shown)
  // Programs that read a column of numbers write 237677209341.0
  const text = plain?.replace(/^(\d{8,})[.,]0$/, '$1').replace(BETWEEN, '')
  const match = text === undefined ? null : /^(?:\+|00)?(\d+)$/.exec(text)
  return match?.[1]
}
