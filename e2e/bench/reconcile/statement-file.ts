import { createWriteStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Person } from '#e2e/crash/people.ts'
import { PIECE_BYTES, uploadAnswerSchema } from '#lib/uploads.ts'
import { csv, MTN_HEADER, mtnRow } from '#server/reconciliation/testing/statements.ts'
import { type Collect, collectOf } from './collects.ts'

const LINES_AT_ONCE = 2_000
/** The clock of the wallet in Cameroon. */
const ZONE_MS = 3_600_000
const PLACES = ['{id}', '{external}', '{date}', '{from}', '{amount}', '{balance}'] as const

/** A row of MTN as text, split where the values of a payment belong. */
const ROW = csv([
  mtnRow({
    Id: '{id}',
    'External id': '{external}',
    Date: '{date}',
    Status: 'Successful',
    Type: 'Debit',
    'Provider category': 'Merchant',
    From: '{from}',
    'From name': 'Clarisse Mbarga Essomba',
    To: 'FRI:237670000201/MSISDN',
    'To name': 'Kora Stores',
    'Initiated by': 'ID:kora.api/USER',
    Amount: '{amount}',
    Balance: '{balance}',
  }),
]).split(/(\{\w+\})/)

/** Writes the operator's statement of these payments, in the columns that MTN prints. */
export async function writeStatement(path: string, size: number, firstMs: number): Promise<void> {
  function* texts(): Generator<string> {
    yield `${csv([MTN_HEADER])}\r\n`
    for (let first = 1; first <= size; first += LINES_AT_ONCE) {
      const count = Math.min(LINES_AT_ONCE, size + 1 - first)
      yield `${Array.from({ length: count }, (_, place) => print(collectOf(first + place, size, firstMs))).join('\r\n')}\r\n`
    }
  }
  await pipeline(Readable.from(texts()), createWriteStream(path))
}

function print(collect: Collect): string {
  const { id, operatorId, naming, phone, amount, at } = collect
  const values: Record<(typeof PLACES)[number], string> = {
    // A line that names nothing has an id of the operator that we have never heard of.
    '{id}': operatorId,
    '{external}': naming === 'our_id' ? id : '',
    '{date}': new Date(at.getTime() + ZONE_MS).toISOString().slice(0, 19).replace('T', ' '),
    '{from}': `FRI:${phone}/MSISDN`,
    '{amount}': String(amount),
    '{balance}': '1250000',
  }
  return ROW.map((part) => values[part as (typeof PLACES)[number]] ?? part).join('')
}

/** Uploads a file as its page does, piece by piece, up to the last piece; returns its id. */
export async function uploadPieces(person: Person, wallet: string, path: string): Promise<string> {
  const file = await open(path)
  try {
    const { size: bytes } = await file.stat()
    const post = async (address: string, body: string) => {
      const answer = await person.request(address, { method: 'POST', headers: { 'content-type': 'application/octet-stream' }, body })
      if (answer === undefined) throw new Error(`The statement could not be uploaded: ${person.wrongFailures.join('; ')}`)
      return answer
    }
    const about = new URLSearchParams({ wallet, fileName: 'statement.csv', bytes: String(bytes), modified: '1' })
    const { fileId } = uploadAnswerSchema.parse(await post(`statements?${about}`, ''))
    const buffer = Buffer.alloc(PIECE_BYTES)
    for (let number = 0; number * PIECE_BYTES < bytes; number++) {
      const { bytesRead } = await file.read(buffer, 0, PIECE_BYTES, number * PIECE_BYTES)
      await post(`statements/${fileId}/pieces?number=${number}`, buffer.toString('latin1', 0, bytesRead))
    }
    return fileId
  } finally {
    await file.close()
  }
}
