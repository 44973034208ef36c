import { createHash } from 'node:crypto'
import { createDirectory } from '#server/applications/directory.ts'
import { createBatch } from '#server/batches/create-batch.ts'
import { readFile } from '#server/batches/read-file/read-file.ts'
import type { TrxClient } from '#server/database/pool.ts'
import { poolOfOne } from './pool-of-one.ts'

/** A list as a person exports it: repairs to accept, problems to correct, a payment twice, an amount beyond the operator's limit. */
const DRAFT = `Primes du trimestre;;;
Noms et prénoms;Téléphone;Montant;Opérateur
Koffi Adjovi;22997123456;12 500,00;MTN Bénin
Ama Houngbédji;97123457;8.500;MTN Bénin
Sènan Dossou;22966554433;15000;Moov Bénin
Jean Talla;2.37E+11;25000;MTN Cameroun
Clarisse Mbarga;+237 6 77 20 93 41;25000;MTN Cameroun
Clarisse Mbarga;237677209341;25000;MTN Cameroun
Paul Ngono;237699123456;750000;Orange Cameroun
Awa Ndiaye;771234567;30000;Orange Sénégal
;237690441208;5000;Orange Cameroun
Fatou Sow;221781234567;05/01/2026;Wave Sénégal
`

/** A draft that a maker has just uploaded, through the command that uploads call. */
export async function seedDraftBatch(trx: TrxClient, applicationId: string, makerId: string): Promise<void> {
  const pool = poolOfOne(trx)
  const directory = await createDirectory({ pool })
  const application = directory.find(applicationId)
  await directory.close()
  const bytes = Buffer.from(DRAFT)
  const file = await readFile(bytes)
  if (!application || !file.ok) throw new Error('The draft batch of the sandbox could not be read')
  const created = await createBatch(
    { pool, connectors: { has: () => true } },
    {
      application,
      actor: { kind: 'person', id: makerId, applicationId, roles: ['maker'] },
      name: 'Primes du trimestre',
      type: 'DEPOSIT',
      defaultOperator: null,
      fileName: 'primes.csv',
      fileSha256: createHash('sha256').update(bytes).digest(),
      file: file.value,
    },
  )
  if (!created.ok) throw new Error(`The draft batch of the sandbox could not be stored: ${created.error}`)
}
