import type { DayObstacle } from '#lib/reconciliation/certificates.ts'
import { isUtcDay } from '#lib/time/time.ts'
import type { Queryable } from '#server/database/pool.ts'
import { findSealedUntil } from '#server/ledger/ledger-store.ts'
import { readWallet, type SetWallet } from '../wallets/wallet-store.ts'
import type { Certificate, CertificateBody } from './certificate.ts'
import { findFirstSignedDay, readCertificate, readMakers } from './certificate-store.ts'
import { type Composed, composeDay, sealBody } from './compose-certificate.ts'

type OneDay = { applicationId: string; wallet: string; day: string }
/** A day with its newest version, and with what keeps it from being signed. */
type Signable = { wallet: SetWallet; composed: Composed; latest: Certificate | undefined; obstacle: DayObstacle | undefined }

/** After the end of a day: postings that carry a time in it have arrived by then (the trigger that protects signed days counts on it). */
const CLOSING_MS = 3_600_000

/** Why a day cannot be signed, whoever prepares it; undefined: it can. */
function obstacleOf(
  { endsAt, compared, previous, facts }: Composed,
  { latest, firstDay, sealedUntil, now }: { latest: Certificate | undefined; firstDay: string | null; sealedUntil: string; now: Date },
): DayObstacle | undefined {
  if (latest?.state === 'signed') return 'already_signed'
  if (endsAt.getTime() + CLOSING_MS > now.getTime()) return 'not_over'
  if (sealedUntil === '-infinity' || Date.parse(sealedUntil) < endsAt.getTime()) return 'not_sealed'
  if (!compared.isCovered) return 'not_covered'
  if (compared.unexplained !== '0') return 'unexplained'
  if (firstDay !== null && firstDay > facts.day) return 'before_first'
  if (firstDay !== null && firstDay < facts.day && !previous) return 'previous_open'
  const { closingMinor } = previous?.body.statement ?? {}
  if (closingMinor !== null && closingMinor !== undefined && closingMinor !== facts.statement.openingMinor) return 'opening_differs'
  return undefined
}

/** Reads a day of a wallet; undefined if there is no such wallet or day. */
export async function readSignable(
  queryable: Queryable,
  { applicationId, wallet: id, day }: OneDay,
  { asOf, now }: { asOf: Date; now: Date },
): Promise<Signable | undefined> {
  const wallet = isUtcDay(day) ? await readWallet(queryable, applicationId, id) : undefined
  if (!wallet) return undefined
  const composed = await composeDay(queryable, { applicationId, wallet, from: day, to: day, asOf })
  const latest = await readCertificate(queryable, { applicationId, wallet: id, day })
  const firstDay = await findFirstSignedDay(queryable, applicationId, id)
  const obstacle = obstacleOf(composed, { latest, firstDay, sealedUntil: await findSealedUntil(queryable), now })
  return { wallet, composed, latest, obstacle }
}

type Written = Pick<CertificateBody, 'version' | 'replaces' | 'preparedBy' | 'preparedAt'>

/** The text of a day that nobody has signed yet. */
export function bodyOf({ facts }: Composed, { version, replaces, preparedBy, preparedAt }: Written): CertificateBody {
  return { ...facts, version, replaces, preparedBy, preparedAt, unexplainedMinor: '0', signedBy: null, signedAt: null, keyId: null }
}

/** What the page of a day says about its signature: its versions, the newest last, and why it cannot be signed. */
export async function readSigning(
  queryable: Queryable,
  { now, ...one }: OneDay & { now: Date },
): Promise<{ obstacle: DayObstacle | undefined; isChanged: boolean; makers: readonly string[] }> {
  const latest = await readCertificate(queryable, one)
  const asOf = latest?.state === 'prepared' ? latest.preparedAt : now
  const read = await readSignable(queryable, one, { asOf, now })
  const isChanged = latest?.state === 'prepared' && read !== undefined && sealBody(bodyOf(read.composed, latest.body)).text !== latest.text
  return { obstacle: read?.obstacle, isChanged, makers: latest ? await readMakers(queryable, latest) : [] }
}
