import { createHash } from 'node:crypto'
import { parseMinor } from '#lib/money/money.ts'
import type { WalletDayDto } from '#lib/reconciliation/days.ts'
import { addDays } from '#lib/time/time.ts'
import type { Queryable } from '#server/database/pool.ts'
import type { DayScope } from '../days/day-store.ts'
import { readDays } from '../days/read-days.ts'
import type { SetWallet } from '../wallets/wallet-store.ts'
import type { Certificate, CertificateBody } from './certificate.ts'
import { readCertificate } from './certificate-store.ts'
import {
  listBookFacts,
  listFileFacts,
  listLedgerFacts,
  listOpenExceptions,
  listPostingFacts,
  readInstants,
  readLineDigest,
} from './day-facts-store.ts'

/** A day with everything that is signed about it except the people. */
export type Composed = {
  startsAt: Date
  endsAt: Date
  compared: WalletDayDto
  previous: Certificate | undefined
  facts: Omit<
    CertificateBody,
    'unexplainedMinor' | 'version' | 'replaces' | 'preparedBy' | 'preparedAt' | 'signedBy' | 'signedAt' | 'keyId'
  >
}

/** Reads the facts of one day. The caller that stores them holds the days of the wallet alone. */
export async function composeDay(queryable: Queryable, scope: DayScope): Promise<Composed> {
  const { applicationId, wallet, from: day } = scope
  const instants = await readInstants(queryable, scope)
  const [compared] = await readDays(queryable, scope)
  if (!compared) throw new Error(`The day ${day} was not read`)
  const before = await readCertificate(queryable, { applicationId, wallet: wallet.wallet, day: addDays(day, -1) })
  const previous = before?.state === 'signed' ? before : undefined
  const differenceMinor = minorOf(compared.difference)
  const balanceOf = (name: 'opening' | 'closing') => minorOrNull(compared.rows.find((row) => row.name === name)?.statement)
  const movement = compared.rows.find(({ name }) => name === 'movement')
  const movementMinor = minorOf(movement?.statement ?? '0')
  // Where no statement prints a balance, only the certificate before knows the one that people set, and what the days since moved.
  const openingMinor = balanceOf('opening') ?? previous?.body.statement.closingMinor ?? null
  const carriedMinor = String(BigInt(previous?.body.carriedMinor ?? '0') + BigInt(differenceMinor))
  const closingMinor = balanceOf('closing') ?? (openingMinor === null ? null : String(BigInt(openingMinor) + BigInt(movementMinor)))
  return {
    ...instants,
    compared,
    previous,
    facts: {
      format: 2,
      installation: applicationId,
      wallet: wallet.wallet,
      operator: wallet.operator,
      currency: compared.currency,
      number: wallet.number,
      day,
      startsAt: instants.startsAt.toISOString(),
      endsAt: instants.endsAt.toISOString(),
      previous: previous ? { day: previous.day, version: previous.version, hash: previous.hash } : null,
      statement: {
        openingMinor,
        movementMinor,
        closingMinor,
        proofMinor: minorOrNull(compared.proof),
        classes: factsOf(compared.classes),
        ...(await readLineDigest(queryable, scope)),
        files: await listFileFacts(queryable, scope),
      },
      agreedFee: agreedFeeOf(wallet),
      ours: {
        movementMinor: minorOf(movement?.ours ?? '0'),
        postings: texts(await listPostingFacts(queryable, scope)),
        applications: texts(await listLedgerFacts(queryable, scope, instants)),
      },
      books: {
        openingMinor: less(openingMinor, previous?.body.carriedMinor ?? '0'),
        closingMinor: less(closingMinor, carriedMinor),
      },
      book: texts(await listBookFacts(queryable, scope)),
      terms: factsOf(compared.terms),
      feesMinor: minorOf(compared.fees),
      differenceMinor,
      carriedMinor,
      exceptions: texts(await listOpenExceptions(queryable, scope)),
    },
  }
}

function factsOf(terms: WalletDayDto['terms']) {
  return terms.map(({ class: name, count, amount }) => ({ class: name, count, amountMinor: minorOf(amount) }))
}

function less(balanceMinor: string | null, minor: string): string | null {
  return balanceMinor === null ? null : String(BigInt(balanceMinor) - BigInt(minor))
}

function minorOf(decimal: string): string {
  return String(parseMinor(decimal))
}

function minorOrNull(decimal: string | null | undefined): string | null {
  return decimal === null || decimal === undefined ? null : minorOf(decimal)
}

type Texts<Row> = { [Name in keyof Row]: Row[Name] extends bigint ? string : Row[Name] }

/** Rows with their amounts as text. */
function texts<Row extends object>(rows: readonly Row[]): Texts<Row>[] {
  return rows.map((row) => {
    const pairs = Object.entries(row).map(([name, value]) => [name, typeof value === 'bigint' ? String(value) : value])
    return Object.fromEntries(pairs)
  })
}

/** The text that is hashed and signed, and its hash. */
export function sealBody(body: CertificateBody): { text: string; hash: Buffer } {
  const text = canonicalJson(body)
  return { text, hash: createHash('sha256').update(text).digest() }
}

/** JSON without spaces, the keys of every object in order. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const pairs = Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1))
  return `{${pairs.map(([key, each]) => `${JSON.stringify(key)}:${canonicalJson(each)}`).join(',')}}`
}

function agreedFeeOf({ feePpm, feeFixedMinor, feeRounding, feeTaxPpm, feeForm }: SetWallet): CertificateBody['agreedFee'] {
  if (feePpm === null) return null
  return { ppm: feePpm, fixedMinor: String(feeFixedMinor ?? 0n), rounding: feeRounding, taxPpm: feeTaxPpm, form: feeForm }
}
