import { createHash } from 'node:crypto'
import { proposeChange } from '#server/changes/propose-change.ts'
import type { Pool } from '#server/database/pool.ts'
import { makePerson } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'

/** Proposes one beneficiary by a file, in the name of a new maker; a new checker could confirm it. Returns the id of the change. */
export async function makeImport(pool: Pool, applicationId: string, phoneNumber = '237670000001'): Promise<string> {
  const id = await makePerson(pool, applicationId, ['maker'])
  await makePerson(pool, applicationId, ['checker'])
  const person = {
    beneficiaryId: null,
    name: 'Awa Diop',
    operator: 'MOMOCM',
    phoneNumber,
    groupName: null,
    amountMinor: null,
  }
  const input = { fileName: 'roles.csv', fileSha256: createHash('sha256').update(phoneNumber).digest('hex'), people: [person] }
  const actor = { kind: 'person', id, applicationId, roles: ['maker'] } as const
  return must(await proposeChange(pool, { applicationId, kind: 'beneficiary.import', input, actor })).changeId
}
