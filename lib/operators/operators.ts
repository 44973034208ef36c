import type { Currency } from '#lib/money/money.ts'

/** The wire protocol family behind an operator code; operators of one family share a connector. */
type OperatorProtocol = 'mtn-momo' | 'airtel' | 'wave' | 'orange-cm' | 'orange-web' | 'orange-sonatel' | 'orange-bf' | 'moov' | 'free'

/** Advice only, in hundredths: the API refuses by limits where an administrator switched that on. */
type OperatorLimits = { minimumMinor: bigint; maximumMinor: bigint }

type Country = {
  name: 'CAMEROON' | 'IVORY_COAST' | 'SENEGAL' | 'BURKINA_FASO' | 'MALI' | 'BENIN' | 'UGANDA'
  code: 'CM' | 'CI' | 'SN' | 'BF' | 'ML' | 'BJ' | 'UG'
  dialCode: string
  currency: Currency
}

export type CountryName = Country['name']

export const COUNTRIES = {
  CAMEROON: { name: 'CAMEROON', code: 'CM', dialCode: '237', currency: 'XAF' },
  IVORY_COAST: { name: 'IVORY_COAST', code: 'CI', dialCode: '225', currency: 'XOF' },
  SENEGAL: { name: 'SENEGAL', code: 'SN', dialCode: '221', currency: 'XOF' },
  BURKINA_FASO: { name: 'BURKINA_FASO', code: 'BF', dialCode: '226', currency: 'XOF' },
  MALI: { name: 'MALI', code: 'ML', dialCode: '223', currency: 'XOF' },
  BENIN: { name: 'BENIN', code: 'BJ', dialCode: '229', currency: 'XOF' },
  UGANDA: { name: 'UGANDA', code: 'UG', dialCode: '256', currency: 'UGX' },
} as const satisfies Record<CountryName, Country>

/** A number of each country as the API takes it. The simulated operators pay every one of them. */
export const EXAMPLE_PHONES: Readonly<Record<CountryName, string>> = {
  CAMEROON: '237677209341',
  IVORY_COAST: '2250707123456',
  SENEGAL: '221771234567',
  BURKINA_FASO: '22670123456',
  MALI: '22370123456',
  BENIN: '2290197123456',
  UGANDA: '256772123456',
}

export const COUNTRY_NAMES = Object.keys(COUNTRIES) as [CountryName, ...CountryName[]]

export const OPERATOR_CODES = [
  'OMCM',
  'MOMOCM',
  'CIWAVE',
  'CIOM',
  'SNWAVE',
  'SNOM',
  'SNFREE',
  'BFOM',
  'MLMOOV',
  'BJMTN',
  'BJMOOV',
  'UGMTN',
  'UGAIRTEL',
] as const
export type OperatorCode = (typeof OPERATOR_CODES)[number]

export type Operator = {
  code: OperatorCode
  brand: 'Orange' | 'MTN' | 'Wave' | 'Free' | 'Moov' | 'Airtel'
  country: Country
  protocol: OperatorProtocol
  decimals: 0 | 2
  limits: { COLLECT: OperatorLimits; DEPOSIT: OperatorLimits }
}

function limits(minimum: number, maximum: number): OperatorLimits {
  return { minimumMinor: BigInt(minimum) * 100n, maximumMinor: BigInt(maximum) * 100n }
}

function operator(
  code: OperatorCode,
  brand: Operator['brand'],
  country: CountryName,
  protocol: OperatorProtocol,
  collect: [number, number],
  deposit: [number, number],
  decimals: 0 | 2 = 0,
): Operator {
  return {
    code,
    brand,
    country: COUNTRIES[country],
    protocol,
    decimals,
    limits: { COLLECT: limits(...collect), DEPOSIT: limits(...deposit) },
  }
}

/** The single source of what an operator code means; the limits are from the operators' public tables. */
export const OPERATORS: Record<OperatorCode, Operator> = {
  OMCM: operator('OMCM', 'Orange', 'CAMEROON', 'orange-cm', [1, 500_000], [1, 500_000]),
  MOMOCM: operator('MOMOCM', 'MTN', 'CAMEROON', 'mtn-momo', [1, 1_000_000], [1, 1_000_000]),
  CIWAVE: operator('CIWAVE', 'Wave', 'IVORY_COAST', 'wave', [1, 2_000_000], [1, 2_000_000]),
  CIOM: operator('CIOM', 'Orange', 'IVORY_COAST', 'orange-web', [1, 2_000_000], [1, 2_000_000]),
  SNWAVE: operator('SNWAVE', 'Wave', 'SENEGAL', 'wave', [1, 2_000_000], [1, 2_000_000]),
  SNOM: operator('SNOM', 'Orange', 'SENEGAL', 'orange-sonatel', [2, 100_000_000], [1, 200_000]),
  SNFREE: operator('SNFREE', 'Free', 'SENEGAL', 'free', [5, 100_000_000], [1, 200_000]),
  BFOM: operator('BFOM', 'Orange', 'BURKINA_FASO', 'orange-bf', [100, 1_000_000], [100, 1_000_000]),
  MLMOOV: operator('MLMOOV', 'Moov', 'MALI', 'moov', [100, 2_000_000], [100, 2_000_000]),
  BJMTN: operator('BJMTN', 'MTN', 'BENIN', 'mtn-momo', [1, 2_000_000], [1, 2_000_000]),
  BJMOOV: operator('BJMOOV', 'Moov', 'BENIN', 'moov', [100, 2_000_000], [100, 2_000_000]),
  UGMTN: operator('UGMTN', 'MTN', 'UGANDA', 'mtn-momo', [500, 5_000_000], [500, 5_000_000], 2),
  UGAIRTEL: operator('UGAIRTEL', 'Airtel', 'UGANDA', 'airtel', [500, 5_000_000], [500, 5_000_000]),
}

/** The step of the customer of a collect: to confirm on the phone, to follow a link, or to enter a code that they dial for. */
export const CUSTOMER_STEP_KINDS = ['prompt', 'link', 'code'] as const
export type CustomerStep = (typeof CUSTOMER_STEP_KINDS)[number]

const CUSTOMER_STEPS: Readonly<Record<OperatorProtocol, CustomerStep>> = {
  'mtn-momo': 'prompt',
  airtel: 'prompt',
  wave: 'link',
  'orange-cm': 'prompt',
  'orange-web': 'link',
  'orange-sonatel': 'code',
  'orange-bf': 'code',
  moov: 'prompt',
  free: 'prompt',
}

/** Returns the step of the customer of a collect at this operator. */
export function customerStepOf(code: OperatorCode): CustomerStep {
  return CUSTOMER_STEPS[OPERATORS[code].protocol]
}

/** Returns whether a value names a country of an operator, as the API writes it. */
export function isCountryName(value: unknown): value is CountryName {
  return typeof value === 'string' && Object.hasOwn(COUNTRIES, value)
}

/** True for one of the thirteen codes, exactly as written in the specification. */
export function isOperatorCode(value: unknown): value is OperatorCode {
  return typeof value === 'string' && Object.hasOwn(OPERATORS, value)
}
