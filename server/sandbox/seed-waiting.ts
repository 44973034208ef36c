import { createHash } from 'node:crypto'
import { err, ok, type Result } from '#lib/result.ts'
import { proposeChange } from '#server/changes/propose-change.ts'
import type { TrxClient } from '#server/database/pool.ts'
import { proposeFunding } from '#server/funding/propose-funding.ts'
import { poolOfOne } from './pool-of-one.ts'

type Proposers = { applicationId: string; financeId: string | undefined; administratorIds: readonly string[] }

/**
 * Seeds changes that wait for a second person: a payment into a deposit balance, and lower limits where there is a second administrator.
 */
export async function seedWaiting(
  trx: TrxClient,
  { applicationId, financeId, administratorIds }: Proposers,
): Promise<Result<null, unknown>> {
  const pool = poolOfOne(trx)
  const [administratorId, otherId] = administratorIds
  if (financeId !== undefined) {
    const actor = { kind: 'person', id: financeId, applicationId, roles: ['finance'] } as const
    const file = 'avis-de-credit-0871.pdf'
    const funding = await proposeFunding(pool, {
      applicationId,
      actor,
      funding: {
        kind: 'pay_in',
        operator: 'SNFREE',
        account: 'deposit',
        amount: 250_000_000n,
        reference: 'FT26325-0871',
        note: 'Ecobank Dakar',
        attachment: { name: file, sha256: createHash('sha256').update(file).digest('hex') },
      },
    })
    if (!funding.ok) return err(funding.error)
  }
  if (administratorId === undefined || otherId === undefined) return ok(null)
  const change = await proposeChange(pool, {
    applicationId,
    kind: 'service.set',
    input: {
      operator: 'UGAIRTEL',
      type: 'DEPOSIT',
      isEnabled: true,
      enforcesLimits: true,
      minimumMinor: '100000',
      maximumMinor: '200000000',
    },
    actor: { kind: 'person', id: administratorId, applicationId, roles: ['administrator'] },
  })
  return change.ok ? ok(null) : err(change.error)
}
