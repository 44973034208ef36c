import type { OperatorCode } from '#lib/operators/operators.ts'
import type { Role } from '#lib/people/permissions.ts'
import type { PersonCommandActor } from '#server/audit/command-actor.ts'
import type { BatchHarness } from '#server/batches/testing/batch-harness.ts'
import { makerOf, snapshotOf } from '#server/batches/testing/make-batch.ts'
import { confirmChange } from '#server/changes/decide-change.ts'
import { proposeChange } from '#server/changes/propose-change.ts'
import { systemClock } from '#server/clock.ts'
import { fund, makeApplication, makePerson } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { transition } from '#server/transactions/transition.ts'

export type Added = { name: string; phoneNumber: string; operator?: OperatorCode; groupName?: string | null; amountMinor?: string | null }

/** An application with money, a maker (Awa) and a checker (Serge), and short ways to its book and its lists. */
export async function bookScene(harness: BatchHarness) {
  const { pool } = harness
  const applicationId = await makeApplication(pool)
  await fund(pool, applicationId, 'MOMOCM', 100_000_000_000n)
  await fund(pool, applicationId, 'OMCM', 100_000_000_000n)
  const actorOf = async (roles: Role[]): Promise<PersonCommandActor> => ({
    kind: 'person',
    id: await makePerson(pool, applicationId, roles),
    applicationId,
    roles,
  })
  const [awa, serge] = [await actorOf(['maker']), await actorOf(['checker'])]
  const propose = (kind: 'beneficiary.add' | 'beneficiary.set', input: Record<string, unknown>, actor = awa) =>
    proposeChange(pool, { applicationId, kind, input, actor })
  const confirm = (changeId: string, actor = serge) => confirmChange({ pool, clock: systemClock }, { applicationId, changeId, actor })
  const two = async (kind: 'beneficiary.add' | 'beneficiary.set', input: Record<string, unknown>): Promise<string> => {
    const { changeId } = must(await propose(kind, input))
    must(await confirm(changeId))
    return changeId
  }
  return {
    applicationId,
    awa,
    serge,
    actorOf,
    propose,
    confirm,
    /** Adds a person with both people; the id is that of the change. */
    add: ({ operator = 'MOMOCM', groupName = null, amountMinor = null, ...one }: Added) =>
      two('beneficiary.add', { operator, groupName, amountMinor, ...one }),
    /** Gives a person another name or number with both people. */
    set: (input: { beneficiaryId: string; name: string; phoneNumber: string; operator?: OperatorCode }) =>
      two('beneficiary.set', { operator: 'MOMOCM', ...input }),
    /** Submits a batch, and lets every payment of it end. */
    async send(batchId: string, repeatReason: string | null = null): Promise<void> {
      const application = await snapshotOf(pool, applicationId)
      await harness.directory.refresh()
      const scene = { applicationId, makerId: awa.id, batchId, application, actor: makerOf(applicationId, awa.id) }
      must(await harness.submit(scene, repeatReason))
      const { rows } = await pool.query<{ transactionId: string }>(
        'select transaction_id as "transactionId" from transactions where application_id = $1 and batch_id = $2',
        [applicationId, batchId],
      )
      await transition(
        pool,
        rows.map(({ transactionId }) => ({
          applicationId,
          transactionId,
          event: 'expired' as const,
          message: '',
          actor: { kind: 'system' as const, id: null },
        })),
      )
    },
    /** The rows of a batch in order: name, number, amount in hundredths, purpose. */
    async rowsOf(batchId: string) {
      const { rows } = await pool.query<{ row: (string | null)[] }>(
        `select array[customer_name, phone_number, amount_minor::text, purpose] as row from batch_rows
          where application_id = $1 and batch_id = $2 order by row_number`,
        [applicationId, batchId],
      )
      return rows.map(({ row }) => row)
    },
  }
}
