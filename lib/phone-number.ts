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
