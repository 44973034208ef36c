import type { CertificateState } from '#lib/reconciliation/certificates.ts'
import type { Queryable, TrxClient } from '#server/database/pool.ts'
import { type Certificate, certificateBody } from './certificate.ts'

const COLUMNS = `c.application_id as "applicationId", c.wallet, c.day::text, c.version, c.state, c.body as text, encode(c.hash, 'hex') as hash,
  encode(c.previous_hash, 'hex') as "previousHash", c.prepared_by as "preparedBy", c.prepared_at as "preparedAt", c.signed_by as "signedBy",
  c.signed_at as "signedAt", c.key_id as "keyId", encode(c.signature, 'base64') as signature`

type Row = Omit<Certificate, 'body'>

function toCertificate(row: Row): Certificate {
  return { ...row, signature: row.signature?.replaceAll('\n', '') ?? null, body: certificateBody.parse(JSON.parse(row.text)) }
}

/** One version of a day of a wallet, or its newest; undefined if nobody has prepared it. */
export async function readCertificate(
  queryable: Queryable,
  { applicationId, wallet, day, version }: { applicationId: string; wallet: string; day: string; version?: number },
): Promise<Certificate | undefined> {
  const { rows } = await queryable.query<Row>(
    `select ${COLUMNS} from day_certificates c
      where c.application_id = $1 and c.wallet = $2 and c.day = $3 and ($4::integer is null or c.version = $4)
      order by c.version desc limit 1`,
    [applicationId, wallet, day, version ?? null],
  )
  const [row] = rows
  return row && toCertificate(row)
}

/** The newest signed day of a wallet before a day; undefined if there is none. */
export async function findLastSigned(
  queryable: Queryable,
  { applicationId, wallet, before }: { applicationId: string; wallet: string; before: string },
): Promise<Certificate | undefined> {
  const { rows } = await queryable.query<Row>(
    `select ${COLUMNS} from day_certificates c
      where c.application_id = $1 and c.wallet = $2 and c.day < $3 and c.state = 'signed' order by c.day desc limit 1`,
    [applicationId, wallet, before],
  )
  const [row] = rows
  return row && toCertificate(row)
}

/** Every version of the days, both ends included, of one wallet or of all, in order of wallet, day and version. */
export async function listCertificates(
  queryable: Queryable,
  { applicationId, wallet, from, to }: { applicationId: string; wallet?: string; from: string; to: string },
): Promise<Certificate[]> {
  const { rows } = await queryable.query<Row>(
    `select ${COLUMNS} from day_certificates c
      where c.application_id = $1 and ($2::text is null or c.wallet = $2) and c.day between $3 and $4
      order by c.wallet, c.day, c.version`,
    [applicationId, wallet ?? null, from, to],
  )
  return rows.map(toCertificate)
}

/** How far the signature of each day is: the state of its newest version. */
export async function listDayStates(
  queryable: Queryable,
  { applicationId, from, to }: { applicationId: string; from: string; to: string },
): Promise<{ wallet: string; day: string; state: CertificateState }[]> {
  const { rows } = await queryable.query<{ wallet: string; day: string; state: CertificateState }>(
    `select distinct on (wallet, day) wallet, day::text, state from day_certificates
      where application_id = $1 and day between $2 and $3 order by wallet, day, version desc`,
    [applicationId, from, to],
  )
  return rows
}

/** The installations that have certificates. */
export async function listInstallationsThatSign(queryable: Queryable): Promise<string[]> {
  const { rows } = await queryable.query<{ id: string }>('select distinct application_id as id from day_certificates order by 1')
  return rows.map(({ id }) => id)
}

/** Holds the days of a wallet alone until the transaction ends: nothing in them changes while they are prepared, signed or reopened. */
export async function lockDays(trx: TrxClient, applicationId: string, wallet: string): Promise<void> {
  await trx.query('select lock_wallet_days($1, $2, true)', [applicationId, wallet])
}

/** The first day of a wallet that was ever signed; null if none was. */
export async function findFirstSignedDay(queryable: Queryable, applicationId: string, wallet: string): Promise<string | null> {
  const { rows } = await queryable.query<{ day: string | null }>(
    `select min(day)::text as day from day_certificates where application_id = $1 and wallet = $2 and state <> 'prepared'`,
    [applicationId, wallet],
  )
  return rows[0]?.day ?? null
}

/** The people who proposed what was posted in a prepared day. */
export async function readMakers(queryable: Queryable, { applicationId, wallet, day, version }: DayVersion): Promise<string[]> {
  const { rows } = await queryable.query<{ makers: string[] }>(
    'select makers from day_certificates where application_id = $1 and wallet = $2 and day = $3 and version = $4',
    [applicationId, wallet, day, version],
  )
  return rows[0]?.makers ?? []
}

export type DayVersion = { applicationId: string; wallet: string; day: string; version: number }

type Prepared = DayVersion & {
  operator: string
  account: string
  startsAt: Date
  endsAt: Date
  text: string
  hash: Buffer
  previousHash: string | null
  preparedBy: string
  preparedAt: Date
}

/** Stores a prepared day; one that was prepared before and not signed is replaced. */
export async function upsertPrepared(trx: TrxClient, row: Prepared): Promise<void> {
  await trx.query(
    `insert into day_certificates (application_id, wallet, day, version, state, operator, account, starts_at, ends_at, body, hash, previous_hash,
                                   prepared_by, prepared_at)
       values ($1, $2, $3, $4, 'prepared', $5, $6, $7, $8, $9, $10, decode($11, 'hex'), $12, $13)
     on conflict (application_id, wallet, day, version) do update
       set starts_at = excluded.starts_at, ends_at = excluded.ends_at, body = excluded.body, hash = excluded.hash,
           previous_hash = excluded.previous_hash, prepared_by = excluded.prepared_by, prepared_at = excluded.prepared_at`,
    [
      row.applicationId,
      row.wallet,
      row.day,
      row.version,
      row.operator,
      row.account,
      row.startsAt,
      row.endsAt,
      row.text,
      row.hash,
      row.previousHash,
      row.preparedBy,
      row.preparedAt,
    ],
  )
  await announce(trx, row.applicationId)
}

type Signature = { text: string; hash: Buffer; signedBy: string; signedAt: Date; keyId: string; signature: Buffer }

/** Makes a prepared day a certificate. */
export async function updateSigned(trx: TrxClient, { applicationId, wallet, day, version }: DayVersion, by: Signature): Promise<void> {
  await trx.query(
    `update day_certificates set state = 'signed', body = $5, hash = $6, signed_by = $7, signed_at = $8, key_id = $9, signature = $10
      where application_id = $1 and wallet = $2 and day = $3 and version = $4`,
    [applicationId, wallet, day, version, by.text, by.hash, by.signedBy, by.signedAt, by.keyId, by.signature],
  )
  await announce(trx, applicationId)
}

/** How many later days of a wallet are signed. */
export async function countLaterDays(queryable: Queryable, applicationId: string, wallet: string, day: string): Promise<number> {
  const { rows } = await queryable.query<{ count: number }>(
    'select count(*)::integer as count from signed_days where application_id = $1 and wallet = $2 and day > $3',
    [applicationId, wallet, day],
  )
  return rows[0]?.count ?? 0
}

/** Opens a signed day again; the certificates of later days have to be signed again. */
export async function updateReopened(
  trx: TrxClient,
  { applicationId, wallet, day, changeId }: { applicationId: string; wallet: string; day: string; changeId: string },
): Promise<void> {
  await trx.query(
    `update day_certificates set state = case when day = $3 then 'reopened' else 'to_be_signed_again' end,
            reopened_by_change = case when day = $3 then $4::uuid end
      where application_id = $1 and wallet = $2
        and (day = $3 and state in ('signed', 'to_be_signed_again') or day > $3 and state = 'signed')`,
    [applicationId, wallet, day, changeId],
  )
}

/** Open pages of the installation read the day again. */
async function announce(trx: TrxClient, applicationId: string): Promise<void> {
  await trx.query(
    'update application_counters set change_number = change_number + 1, proposal_number = proposal_number + 1 where application_id = $1',
    [applicationId],
  )
}
