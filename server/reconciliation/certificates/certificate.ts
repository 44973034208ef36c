import { z } from 'zod'
import type { CertificateState } from '#lib/reconciliation/certificates.ts'
import { FEE_FORMS, FEE_ROUNDINGS } from '#lib/reconciliation/wallets.ts'

/** Hundredths as a decimal string: JSON numbers are not exact beyond 2^53. */
const minor = z.string().regex(/^-?\d+$/)
const person = z.strictObject({ personId: z.uuid(), name: z.string() })
const digest = z.string().regex(/^[0-9a-f]{64}$/)

/** Amounts on the six accounts of the ledger. */
const ledgerAmounts = {
  collectMinor: minor,
  depositMinor: minor,
  heldMinor: minor,
  feesMinor: minor,
  clearingMinor: minor,
  revenueMinor: minor,
}

/**
 * The statement two people sign about a wallet on one of its operator's days. Its text is canonical: JSON without spaces, the keys of every object in the
 * order of their bytes. Hash and signature are of the bytes of that text. Amounts are hundredths as decimal strings, from the side of the wallet:
 * above zero, money came in.
 */
export const certificateBody = z.strictObject({
  /** 1: without `statement.classes` and `books`. */
  format: z.union([z.literal(1), z.literal(2)]),
  installation: z.uuid(),
  wallet: z.string(),
  operator: z.string(),
  currency: z.string(),
  /** The number of the account, as the operator prints it. */
  number: z.string().nullable(),
  day: z.string(),
  startsAt: z.string(),
  endsAt: z.string(),
  version: z.number().int(),
  /** The certificate of the day before; null for the first day of the wallet. */
  previous: z.strictObject({ day: z.string(), version: z.number().int(), hash: digest }).nullable(),
  /** The hash of the version that was reopened. */
  replaces: digest.nullable(),
  statement: z.strictObject({
    openingMinor: minor.nullable(),
    movementMinor: minor,
    closingMinor: minor.nullable(),
    /** Printed closing less opening and movement; null where no balance is printed. */
    proofMinor: minor.nullable(),
    /** The movement of the lines of each class before their fees: with `feesMinor` they add up to the movement. */
    classes: z.array(z.strictObject({ class: z.string(), count: z.number().int(), amountMinor: minor })).optional(),
    lineCount: z.number().int(),
    /** SHA-256 over one text `line,class,match` per line, in order of the line; match is `application/transaction`, or empty. */
    linesSha256: digest,
    files: z.array(z.strictObject({ fileId: z.uuid(), sha256: digest, firstDay: z.string(), lastDay: z.string() })),
  }),
  /** The agreed fee by which lines were classed. */
  agreedFee: z
    .strictObject({
      ppm: z.number().int(),
      fixedMinor: minor,
      rounding: z.enum(FEE_ROUNDINGS),
      taxPpm: z.number().int(),
      form: z.enum(FEE_FORMS),
    })
    .nullable(),
  ours: z.strictObject({
    movementMinor: minor,
    /** Our postings that move money of the wallet. */
    postings: z.array(z.strictObject({ kind: z.string(), count: z.number().int(), effectMinor: minor })),
    /** Everything that was posted in the wallet, by application and kind, concessions also by direction. */
    applications: z.array(z.strictObject({ applicationId: z.uuid(), kind: z.string(), count: z.number().int(), ...ledgerAmounts })),
  }),
  /**
   * Our books, which begin with the opening balance of the first certificate. The closing balance less that of the books is `carriedMinor`. Null where
   * no balance is known.
   */
  books: z.strictObject({ openingMinor: minor.nullable(), closingMinor: minor.nullable() }).optional(),
  /** The wallet book by kind and direction. */
  book: z.array(
    z.strictObject({
      kind: z.string(),
      count: z.number().int(),
      walletMinor: minor,
      operatorFeeMinor: minor,
      taxMinor: minor,
      commissionMinor: minor,
      suspenseMinor: minor,
      transitMinor: minor,
      lossMinor: minor,
    }),
  ),
  /** The explanations of statement less ours, each line and each posting in exactly one. */
  terms: z.array(z.strictObject({ class: z.string(), count: z.number().int(), amountMinor: minor })),
  /** The sum of the fees beside payments, below zero. */
  feesMinor: minor,
  differenceMinor: minor,
  unexplainedMinor: z.literal('0'),
  /** The differences of all days since the first certificate, this one included. */
  carriedMinor: minor,
  /** Exceptions of this and earlier days that are still open. */
  exceptions: z.array(z.strictObject({ exceptionId: z.uuid(), class: z.string(), day: z.string(), amountMinor: minor })),
  preparedBy: person,
  preparedAt: z.string(),
  /** Null until it is signed. */
  signedBy: person.nullable(),
  signedAt: z.string().nullable(),
  keyId: z.uuid().nullable(),
})
export type CertificateBody = z.output<typeof certificateBody>

/** One version of a day. `text` is what was hashed and signed. */
export type Certificate = {
  applicationId: string
  wallet: string
  day: string
  version: number
  state: CertificateState
  text: string
  body: CertificateBody
  /** Hexadecimal, as is `previousHash`. */
  hash: string
  previousHash: string | null
  preparedBy: string
  preparedAt: Date
  signedBy: string | null
  signedAt: Date | null
  keyId: string | null
  /** Base64. */
  signature: string | null
}
