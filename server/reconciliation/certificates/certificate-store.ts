import type { Queryable } from '#server/database/pool.ts'
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
