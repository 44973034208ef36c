import assert from 'node:assert/strict'
import type { Role } from '#lib/people/permissions.ts'
import { addDays, utcDayOf } from '#lib/time/time.ts'
import type { PersonCommandActor } from '#server/audit/command-actor.ts'
import type { Pool } from '#server/database/pool.ts'
import { listCertificates, readCertificate } from '#server/reconciliation/certificates/certificate-store.ts'
import { prepareDay, signDay } from '#server/reconciliation/certificates/sign-day.ts'
import { createDesk } from '#server/reconciliation/testing/reconciliation-desk.ts'
import { csv, ORANGE_BF_HEADER } from '#server/reconciliation/testing/statements.ts'
import { makePerson } from '#server/testing/factories.ts'
import { must } from '#server/testing/partner.ts'
import { confirmChange } from '../decide-change.ts'
import { proposeChange } from '../propose-change.ts'

export const WALLET = 'BFOM'
const now = new Date()
export const clock = { now: () => now }
// The last of them has ended more than an hour ago, also just after midnight.
export const [BEFORE, DAY] = [addDays(utcDayOf(now), -5), addDays(utcDayOf(now), -4)]
export const [NEXT, LATER] = [addDays(DAY, 1), addDays(DAY, 2)]

type Line = { id: string; amount: number; balance?: number; day?: string; at?: string; reference?: string; status?: string }
const row = ({ id, amount, balance, day = DAY, at = '10:00:00', reference = '', status = 'SUCCESS' }: Line) => [
  `${day} ${at}`,
  status,
  id,
  '',
  '70123456',
  reference,
  'MERCHPAY',
  String(Math.abs(amount)),
  amount > 0 ? String(amount) : '',
  amount < 0 ? String(-amount) : '',
  '',
  balance === undefined ? '' : String(balance - amount),
  balance === undefined ? '' : String(balance),
  '',
  '',
]

/** A wallet of Orange Burkina Faso whose days Fatou prepares and Serge signs; two administrators, chief and other, open them again. */
export async function openSigningDesk(pool: Pool) {
  const desk = await createDesk(pool)
  const { applicationId, actor: fatou } = desk
  const personWith = async (roles: Role[]): Promise<PersonCommandActor> => {
    return { kind: 'person', id: await makePerson(pool, applicationId, roles), applicationId, roles }
  }
  const serge = await personWith(['finance'])
  const chief = await personWith(['administrator'])
  const other = await personWith(['administrator'])
  const one = (day: string, actor: PersonCommandActor) => ({ applicationId, actor, wallet: WALLET, day })
  const deps = () => ({ pool, clock })
  const prepare = (day = DAY, actor = fatou) => prepareDay(deps(), one(day, actor))
  const newest = (day = DAY) => readCertificate(pool, { applicationId, wallet: WALLET, day })
  const sign = async (day = DAY, actor = serge) => signDay(deps(), { ...one(day, actor), hash: (await newest(day))?.hash ?? '' })
  return {
    ...desk,
    ...{ fatou, serge, chief, other, personWith, one, deps, prepare, newest, sign },
    bringLines: (...lines: Line[]) => desk.bring(WALLET, csv([ORANGE_BF_HEADER, ...lines.map(row)])),
    async close(day = DAY): Promise<void> {
      must(await prepare(day))
      must(await sign(day))
    },
    /** Both administrators open a day again. */
    async reopen(day: string) {
      const input = { wallet: WALLET, day, note: 'A line was missing' }
      const { changeId } = must(await proposeChange(pool, { applicationId, kind: 'day.reopen', input, actor: chief }))
      return confirmChange(deps(), { applicationId, changeId, actor: other })
    },
    async lineId(operatorId: string): Promise<bigint> {
      const { rows } = await pool.query<{ id: bigint }>('select line_id as id from statement_lines where operator_id = $1', [operatorId])
      return rows[0]?.id ?? assert.fail('no such line')
    },
    async states() {
      const all = await listCertificates(pool, { applicationId, wallet: WALLET, from: BEFORE, to: LATER })
      return all.map(({ day, version, state }) => [day, version, state])
    },
    /** A posting dated back into a day, as only the owner of the tables could write it. */
    postAt: (day: string) =>
      pool.query(
        `insert into ledger_postings (application_id, subject_id, kind, operator, currency, collect_minor, clearing_minor, at)
           values ($1, gen_random_uuid(), 'settle', 'BFOM', 'XOF', 100, -100, $2::date + interval '12 hours')`,
        [applicationId, day],
      ),
  }
}
