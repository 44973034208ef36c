import { formatMinor, parseMinor } from '#lib/money/money.ts'
import type { DayObstacle, DaySigningDto } from '#lib/reconciliation/certificates.ts'
import type { WalletDayDto } from '#lib/reconciliation/days.ts'
import { addDays, isUtcDay } from '#lib/time/time.ts'
import { runsInstallation } from '#server/applications/terms-store.ts'
import type { Queryable } from '#server/database/pool.ts'
import { findSealedUntil } from '#server/ledger/ledger-store.ts'
import type { DayScope } from '../days/day-store.ts'
import { readWallet, type SetWallet } from '../wallets/wallet-store.ts'
import type { Certificate, CertificateBody } from './certificate.ts'
import { findFirstSignedDay, listCertificates, readCertificate, readMakers } from './certificate-store.ts'
import { type Composed, composeDay } from './compose-certificate.ts'
import { readInstants } from './day-facts-store.ts'

type OneDay = { applicationId: string; wallet: string; day: string }
/** A day with its newest version, and with what keeps it from being signed. */
type Signable = { wallet: SetWallet; composed: Composed; latest: Certificate | undefined; obstacle: DayObstacle | undefined }

/** After the end of a day: postings that carry a time in it have arrived by then (the trigger that protects signed days counts on it). */
const CLOSING_MS = 3_600_000

/** The reason a day cannot be signed by anybody; undefined: it can. */
function obstacleOf(
  { endsAt, compared, previous }: Pick<Composed, 'endsAt' | 'compared' | 'previous'>,
  { latest, firstDay, sealedUntil, now }: { latest: Certificate | undefined; firstDay: string | null; sealedUntil: string; now: Date },
): DayObstacle | undefined {
  const { day } = compared
  if (latest?.state === 'signed') return 'already_signed'
  if (endsAt.getTime() + CLOSING_MS > now.getTime()) return 'not_over'
  if (sealedUntil === '-infinity' || Date.parse(sealedUntil) < endsAt.getTime()) return 'not_sealed'
  if (!compared.isCovered) return 'not_covered'
  if (compared.unexplained !== '0') return 'unexplained'
  if (firstDay !== null && firstDay > day) return 'before_first'
  if (firstDay !== null && firstDay < day && !previous) return 'previous_open'
  const closingMinor = previous?.body.statement.closingMinor ?? null
  const opening = compared.rows.find(({ name }) => name === 'opening')?.statement ?? null
  // Without a printed balance the day begins with the one that was signed.
  if (closingMinor !== null && opening !== null && String(parseMinor(opening)) !== closingMinor) return 'opening_differs'
  return undefined
}

/** Reads a day of a wallet; undefined if there is no such wallet or day. */
export async function readSignable(
  queryable: Queryable,
  { applicationId, wallet: id, day }: OneDay,
  { asOf, now }: { asOf: Date; now: Date },
): Promise<Signable | undefined> {
  // The accounts at operators are the installation's.
  const isOurs = isUtcDay(day) && (await runsInstallation(queryable, applicationId))
  const wallet = isOurs ? await readWallet(queryable, applicationId, id) : undefined
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

/**
 * The signature of a compared day as its page shows it. Nothing else is read of the day: whether its figures have changed since it was prepared
 * is found when it is signed.
 */
export async function readSigning(
  queryable: Queryable,
  { compared, viewerId, now, ...scope }: DayScope & { compared: WalletDayDto; viewerId: string; now: Date },
): Promise<DaySigningDto> {
  const { applicationId, from: day } = scope
  const { wallet } = scope.wallet
  const versions = await listCertificates(queryable, { applicationId, wallet, from: addDays(day, -1), to: day })
  const own = versions.filter((each) => each.day === day)
  const before = versions.findLast((each) => each.day !== day)
  const latest = own.at(-1)
  const obstacle = obstacleOf(
    { ...(await readInstants(queryable, scope)), compared, previous: before?.state === 'signed' ? before : undefined },
    { latest, firstDay: await findFirstSignedDay(queryable, applicationId, wallet), sealedUntil: await findSealedUntil(queryable), now },
  )
  const isMaker = latest?.state === 'prepared' && (await readMakers(queryable, latest)).includes(viewerId)
  return {
    obstacle: obstacle ?? null,
    refusal: latest?.state !== 'prepared' ? 'not_prepared' : latest.preparedBy === viewerId ? 'own_preparation' : isMaker ? 'maker' : null,
    versions: own.toReversed().map(({ state, version, hash, body }) => ({
      state,
      version,
      hash,
      carried: formatMinor(BigInt(body.carriedMinor)),
      preparedBy: body.preparedBy.name,
      preparedAt: body.preparedAt,
      signedBy: body.signedBy?.name ?? null,
      signedAt: body.signedAt,
    })),
  }
}
