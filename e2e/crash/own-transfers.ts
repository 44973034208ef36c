import { fail } from 'node:assert/strict'
import type { OperatorCode } from '#lib/operators/operators.ts'
import type { Role } from '#lib/people/permissions.ts'
import type { PersonCommandActor } from '#server/audit/command-actor.ts'
import { confirmChange } from '#server/changes/decide-change.ts'
import { proposeChange } from '#server/changes/propose-change.ts'
import { systemClock } from '#server/clock.ts'
import type { Pool } from '#server/database/pool.ts'
import { fundWallet } from '#server/operators/testing/simulated-wallets.ts'
import { must } from '#server/testing/partner.ts'
import type { Sandbox } from '#server/testing/service/start-sandbox.ts'
import { judge, type Verdict } from './judge.ts'

/** Own money that two people move between the accounts of an operator; the operator then carries it out. */
export class OwnTransfers {
  readonly #service: Sandbox
  #number = 0
  /** The references of those whose confirmation was answered. */
  readonly #agreed: string[] = []

  constructor(service: Sandbox) {
    this.#service = service
  }

  /** How many two people agreed on. */
  get count(): number {
    return this.#agreed.length
  }

  /**
   * Moves an amount, in units of the currency, to the account for deposits from that for collects, or back if it is negative; 0 only asks. Returns
   * the balance of the account for deposits. Throws while the database or the simulator is away.
   */
  async move(operator: OperatorCode, amount: number): Promise<number> {
    const simulator = this.#service.simulator()
    if (amount === 0) return fundWallet(simulator, { operator, amount })
    await this.#service.withDatabase((pool) => this.#agree(pool, operator, amount))
    await fundWallet(simulator, { operator, account: 'collect', amount: -amount })
    return fundWallet(simulator, { operator, amount })
  }

  /** To be called after everything has ended. */
  async judge(pool: Pool): Promise<Verdict> {
    const { rows } = await pool.query<{ reference: string }>(
      `select payload ->> 'reference' as reference from proposed_changes where kind = 'wallet.plan' and outcome = 'confirmed'`,
    )
    const stored = new Set(rows.map(({ reference }) => reference))
    return judge(
      'own transfers were made, and each that two people agreed on is stored',
      this.#agreed,
      (reference) => (stored.has(reference) ? undefined : `${reference} is missing`),
      this.#agreed.length === 0 ? ['there was none, so nothing was tested'] : [],
    )
  }

  async #agree(pool: Pool, operator: OperatorCode, amount: number): Promise<void> {
    const [finance, administrator] = [await findPersonWith(pool, 'finance'), await findPersonWith(pool, 'administrator')]
    const { applicationId } = finance
    const [from, to] = amount > 0 ? ['collect', 'deposit'] : ['deposit', 'collect']
    const reference = `OWN ${++this.#number}`
    const amountMinor = String(Math.round(Math.abs(amount) * 100))
    const input = { from: `${operator}-${from}`, to: `${operator}-${to}`, amountMinor, reference, note: '' }
    const { changeId } = must(await proposeChange(pool, { applicationId, kind: 'wallet.plan', input, actor: finance }))
    must(await confirmChange({ pool, clock: systemClock }, { applicationId, changeId, actor: administrator }))
    this.#agreed.push(reference)
  }
}

/** Somebody with this role alone in the application that runs the installation. */
async function findPersonWith(pool: Pool, role: Role): Promise<PersonCommandActor> {
  const { rows } = await pool.query<{ id: string; applicationId: string; roles: Role[] }>(
    `select m.person_id as id, m.application_id as "applicationId", m.roles from memberships m
       join applications a using (application_id) where a.runs_installation and m.roles = array[$1] limit 1`,
    [role],
  )
  const { id, applicationId, roles } = rows[0] ?? fail(`Nobody has the role ${role} alone`)
  return { kind: 'person', id, applicationId, roles }
}
