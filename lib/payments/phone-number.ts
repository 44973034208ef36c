import { COUNTRIES, type CountryName, OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'

/** Digits that precede the subscriber's number and were added to it when the country's numbers grew by two digits. */
type Renumbering = {
  dialCode: string
  oldLength: number
  /** The two digits that an old national number received; undefined where it received none that is known. */
  prefixOf(oldNumber: string): string | undefined
}

/**
 * The countries of the service whose numbers changed while wallets existed. A wallet kept its owner and its money, so both
 * numbers are one person.
 *
 * Ivory Coast, 31 January 2021 (ARTCI): mobile numbers received the prefix of the operator that the number had been
 * allotted to, which its second digit tells: 0–3 Moov, 4–6 MTN, 7–9 Orange. Numbers that begin with 2 or 3 were fixed
 * lines, which have no wallet.
 *
 * Benin, 30 November 2024 (ARCEP): every number received 01.
 */
const RENUMBERINGS: readonly Renumbering[] = [
  { dialCode: '225', oldLength: 8, prefixOf: (number) => (/^[23]/.test(number) ? undefined : IVORIAN_PREFIXES[Number(number[1])]) },
  { dialCode: '229', oldLength: 8, prefixOf: () => '01' },
]

/** Numbers with other dial codes have one form. */
export const RENUMBERED_DIAL_CODES: readonly string[] = RENUMBERINGS.map(({ dialCode }) => dialCode)

const IVORIAN_PREFIXES = ['01', '01', '01', '01', '05', '05', '05', '07', '07', '07'] as const

/**
 * Every way in which a phone number (digits with dial code, without +) can have been written since its country changed its
 * numbers; the present one first, so that the first is the same for all of them. Rules, sums and histories by phone
 * number look up all of them; what is stored and echoed is what was sent.
 */
export function phoneNumberForms(phoneNumber: string): [canonical: string, ...earlier: string[]] {
  const change = RENUMBERINGS.find((each) => phoneNumber.startsWith(each.dialCode))
  if (!change) return [phoneNumber]
  const { dialCode, oldLength, prefixOf } = change
  const national = phoneNumber.slice(dialCode.length)
  if (national.length === oldLength) {
    const prefix = prefixOf(national)
    return prefix === undefined ? [phoneNumber] : [dialCode + prefix + national, phoneNumber]
  }
  const oldNumber = national.slice(2)
  const isRenumbered = oldNumber.length === oldLength && prefixOf(oldNumber) === national.slice(0, 2)
  return isRenumbered ? [phoneNumber, dialCode + oldNumber] : [phoneNumber]
}

/**
 * Warnings about a phone number before money is sent. Advice only: numbers are ported between carriers, and countries change their
 * numbers. `suggestion` is the whole number as it should probably be.
 */
type PhoneAdvice =
  /** The national number without the dial code of its country. */
  | { kind: 'dial_code'; suggestion: string }
  /** Written as before the country added digits to its numbers. */
  | { kind: 'old_number'; suggestion: string }
  /** `digits`: how many a number of the country has after its dial code. */
  | { kind: 'length'; digits: number }
  /** The prefix belongs to another carrier than the operator. */
  | { kind: 'carrier'; carrier: string }

type Numbering = { digits: number; carriers: Readonly<Record<string, RegExp>> }

/**
 * The length of a national number and the prefixes of the carriers, from the numbering plans (libphonenumber). Wave is no carrier: any
 * number can have a Wave wallet.
 */
const NUMBERINGS: Record<CountryName, Numbering> = {
  CAMEROON: {
    digits: 9,
    carriers: {
      MTN: /^(67|65[0-4]|68[0-3])/,
      Orange: /^(69|65[5-9]|64[0-2]|68[6-9])/,
      Nexttel: /^(66|68[45])/,
      Camtel: /^(62|24[23])/,
    },
  },
  IVORY_COAST: { digits: 10, carriers: { Moov: /^01/, MTN: /^05/, Orange: /^07/ } },
  SENEGAL: { digits: 9, carriers: { Orange: /^7[178]/, Free: /^76/, Expresso: /^70/, Promobile: /^75/ } },
  BURKINA_FASO: {
    digits: 8,
    carriers: {
      Orange: /^(0[4-7]|4[4-6]|5[4-7]|6[4-7]|7[4-7])/,
      Moov: /^(0[1-3]|5[0-3]|6[0-3]|7[0-3])/,
      Telecel: /^(58|6[89]|7[89])/,
    },
  },
  MALI: { digits: 8, carriers: { Moov: /^(6|89|9[5-9]|217)/, Orange: /^(7|8[2-5]|9[0-4])/, Atel: /^5[0-3]/ } },
  BENIN: {
    digits: 10,
    carriers: {
      MTN: /^01(4[26]|5[0-4679]|6[12679]|9[0167])/,
      Moov: /^01(45|5[58]|6[03-58]|9[4589])/,
      Celtiis: /^01(4[0134789]|28|9[23])/,
    },
  },
  UGANDA: { digits: 9, carriers: { Airtel: /^(7[045]|73[01]|795)/, MTN: /^(7[678]|724|737|79[0-4])/ } },
}

/** Removes what people type into phone numbers: spaces, brackets, points and hyphens, a leading `+` or `00`. Anything else stays. */
export function cleanPhone(typed: string): string {
  return typed.replace(/[\s().\u00a0\u202f-]/g, '').replace(/^(\+|00)/, '')
}

/** Whether a cleaned number has all the digits of a present number of the country. */
export function isCompleteNumber(phoneNumber: string, country: CountryName): boolean {
  const { dialCode } = COUNTRIES[country]
  return (
    /^\d+$/.test(phoneNumber) && phoneNumber.startsWith(dialCode) && phoneNumber.length === dialCode.length + NUMBERINGS[country].digits
  )
}

/** Checks a cleaned number of a country; null if there is no warning, or if too little was typed to tell. */
export function advisePhone(phoneNumber: string, country: CountryName, operator: OperatorCode | null): PhoneAdvice | null {
  if (!/^\d+$/.test(phoneNumber)) return null
  const { dialCode } = COUNTRIES[country]
  const { digits, carriers } = NUMBERINGS[country]
  if (!phoneNumber.startsWith(dialCode)) {
    const isNational = phoneNumber.length === digits || phoneNumberForms(dialCode + phoneNumber).length > 1
    return isNational ? { kind: 'dial_code', suggestion: phoneNumberForms(dialCode + phoneNumber)[0] } : null
  }
  const [present] = phoneNumberForms(phoneNumber)
  if (present !== phoneNumber) return { kind: 'old_number', suggestion: present }
  const national = phoneNumber.slice(dialCode.length)
  if (national.length !== digits) return { kind: 'length', digits }
  const carrier = Object.keys(carriers).find((name) => carriers[name]?.test(national))
  if (carrier === undefined || operator === null) return null
  const { brand } = OPERATORS[operator]
  return brand === 'Wave' || brand === carrier ? null : { kind: 'carrier', carrier }
}

/** The country whose dial code a cleaned number begins with; undefined if none does or the number is too short to tell. */
export function countryOfPhone(phoneNumber: string): CountryName | undefined {
  if (!/^\d{10,15}$/.test(phoneNumber)) return undefined
  return Object.values(COUNTRIES).find(({ dialCode }) => phoneNumber.startsWith(dialCode))?.name
}
