import type { OperatorCode } from './operators.ts'

/** The most checks within 24 hours that two people may allow an application. */
export const ACCOUNT_CHECKS_MAX = 10_000

/** The answers that are stored for a day. `not_registered` and `barred` are an operator's own words, never a guess. */
export const ACCOUNT_ANSWERS = ['active', 'not_registered', 'barred'] as const
export type AccountAnswer = (typeof ACCOUNT_ANSWERS)[number]

/** The known facts of one account; `holderName` is masked, and null where the operator names nobody. Instants are ISO 8601. */
export type AccountCheck = {
  operator: OperatorCode
  phoneNumber: string
  answer: AccountAnswer | 'unknown' | 'not_offered'
  holderName: string | null
  checkedAt: string | null
}

/** How many checks one person, or one API user, may use of those of the application: nobody can use them up alone. */
export function checksPerActor(checksMax: number): number {
  return Math.ceil(checksMax / 4)
}

/** How many accounts of one file are checked within 24 hours: the person who asks keeps as many for payments that they type. */
export function checksPerFile(checksMax: number): number {
  return Math.ceil(checksPerActor(checksMax) / 2)
}

const WORDS_MAX = 6
const FIRST_LENGTH_MAX = 40

/**
 * Masks the name that an operator reports: the first word, and the initials of the others ("CLARISSE M."). Enough to recognise a person whose
 * name one knows, and too little to learn whose number it is. Undefined where no letter is left.
 */
export function maskHolderName(...parts: readonly (string | null | undefined)[]): string | undefined {
  const words = parts.flatMap((part) =>
    (part ?? '')
      .normalize('NFC')
      .replace(/[^\p{L}\p{M}\s.'’-]/gu, ' ')
      .split(/\s+/)
      .filter((word) => /\p{L}/u.test(word)),
  )
  const [first, ...others] = words.slice(0, WORDS_MAX)
  if (first === undefined) return undefined
  return [first.slice(0, FIRST_LENGTH_MAX).toWellFormed(), ...others.map(initialOf)].join(' ')
}

function initialOf(word: string): string {
  return `${/\p{L}\p{M}*/u.exec(word)?.[0] ?? ''}.`
}
