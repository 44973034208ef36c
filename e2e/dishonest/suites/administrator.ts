import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, describe, test } from 'node:test'
import { approvalRulesSchema } from '#lib/rules/approval-policy.ts'
import { findingKey } from '#lib/rules/rule-finding.ts'
import { checkRules } from '#server/policy/check-rules.ts'
import { keyringOfProcess } from '#server/secrets-at-rest/keyring.ts'
import { invitationCodePlace } from '#server/secrets-at-rest/sealed-columns.ts'
import { act, callAction, newPerson, type PayoutService, type Person, read, valueIn } from '../payout-service.ts'
import { aPayment, assertNotPaid, decide, send } from '../steps.ts'

/** One administrator wants a colleague's yes without the colleague: to add accomplices, keys and money, and to remove rules and people. */
export function describeAdministrator(service: () => PayoutService): void {
  describe('a dishonest administrator', () => {
    let thief: Person
    let honest: Person
    before(async () => {
      thief = await newPerson(service(), ['administrator'])
      honest = await newPerson(service(), ['administrator'])
    })

    /** The rows that decide who may move money, as it is stored. */
    async function standing(): Promise<unknown> {
      const { pool } = service().database
      const { rows } = await pool.query(
        `select (select jsonb_agg(to_jsonb(m) order by m.person_id) from memberships m where m.application_id = $1) as members,
          (select jsonb_agg(to_jsonb(k) order by k.api_key_id) from api_keys k where k.application_id = $1) as keys,
          (select jsonb_agg(to_jsonb(u) order by u.api_user_id) from api_users u where u.application_id = $1) as users,
          (select jsonb_agg(n.network order by n.network) from ip_allow_entries n where n.application_id = $1) as networks,
          (select jsonb_agg(to_jsonb(s) order by s.operator, s.type) from transfer_services s where s.application_id = $1) as services,
          (select max(p.version) from approval_policies p where p.application_id = $1 and p.activated_at is not null) as rules`,
        [service().kora.applicationId],
      )
      return rows[0]
    }

    async function proposals(proposer: Person): Promise<string[]> {
      const { rows } = await service().database.pool.query<{ id: string }>(
        'select change_id as id from proposed_changes where proposed_by = $1 and outcome is null order by proposed_at',
        [proposer.personId],
      )
      return rows.map(({ id }) => id)
    }

    async function propose(person: Person, kind: string, input: unknown): Promise<string> {
      valueIn(await act(service(), person, 'proposeChange', { kind, input, acknowledged: true }))
      return (await proposals(person)).at(-1) ?? assert.fail('the proposal was stored')
    }

    test('nothing changed by a proposal of any kind that its proposer confirms, collects or has confirmed in two sessions at once', async () => {
      const member = await newPerson(service(), ['maker'])
      const before = await standing()
      const wanted = {
        'person.invite': { email: `${randomUUID()}@example.com`, name: 'A friend', roles: ['maker', 'checker'] },
        'person.roles': { personId: member.personId, roles: ['maker', 'checker'], isActive: true },
        'key.create': { name: 'Mine' },
        'api_user.create': { username: `${randomUUID()}@example.com` },
        'address.allow': { network: '203.0.113.7', note: 'Mine' },
        'service.set': {
          operator: 'MOMOCM',
          type: 'DEPOSIT',
          isEnabled: true,
          enforcesLimits: true,
          minimumMinor: null,
          maximumMinor: '1',
        },
        'fees.set': { directions: [{ operator: 'MOMOCM', type: 'DEPOSIT' }], appRatePpm: 1, appFixedMinor: '0' },
      }
      for (const [kind, input] of Object.entries(wanted)) {
        const changeId = await propose(thief, kind, input)
        const answers = await Promise.all([
          act(service(), thief, 'confirmChange', { changeId, acknowledged: true }),
          act(service(), thief, 'confirmChange', { changeId, acknowledged: true }),
          act(service(), thief, 'collectSecret', { changeId }),
        ])
        assert.deepEqual(
          answers.map((answer) => (answer.ok ? 'done' : answer.code)),
          ['own_proposal', 'own_proposal', 'not_collectable'],
          kind,
        )
      }
      assert.deepEqual(await standing(), before)
    })

    test('refused: to change the own roles, or to confirm a change about oneself', async () => {
      const input = { personId: thief.personId, roles: ['administrator', 'maker', 'checker'], isActive: true }
      assert.deepEqual(await act(service(), thief, 'proposeChange', { kind: 'person.roles', input }), { ok: false, code: 'about_you' })
      const about = await propose(honest, 'person.roles', { ...input, roles: ['administrator', 'checker'] })
      assert.deepEqual(await act(service(), thief, 'confirmChange', { changeId: about, acknowledged: true }), {
        ok: false,
        code: 'about_you',
      })
      assert.ok((await act(service(), honest, 'withdrawChange', { changeId: about })).ok)
    })

    test('no rights for the account that a confirmer makes with the link they were shown, and the confirmer cannot give it any', async () => {
      const email = `${randomUUID()}@example.com`
      const changeId = await propose(honest, 'person.invite', { email, name: 'Carine', roles: ['administrator'] })
      const confirmed = valueIn(await act(service(), thief, 'confirmChange', { changeId }))
      const token = new URL(String(confirmed['link'])).hash.slice(1)
      const joining = { token, name: 'Carine', password: 'a long enough password', wantsSecondFactor: false }
      const joined = await callAction(service(), 'joinApplication', '', [joining])
      const cookie = /[\w.-]*session=[^;]+/.exec(joined.headers.getSetCookie().join('; '))?.[0] ?? assert.fail('the account can sign in')
      const puppet: Person = { ...thief, email, cookie }
      const { rows } = await service().database.pool.query<{ id: string; code: string }>(
        'select invitation_id as id, code from person_invitations where email = $1',
        [email],
      )
      const [{ id, code } = { id: '', code: '' }] = rows
      // The code that the page of the new account shows.
      const spokenCode = keyringOfProcess().open(invitationCodePlace(service().kora.applicationId, id), code)
      const activation = { invitationId: id, spokenCode }
      assert.deepEqual(await act(service(), thief, 'activateMember', activation), { ok: false, code: 'had_the_link' })
      assert.deepEqual(await act(service(), puppet, 'activateMember', activation), { ok: false, code: 'not_found' })
      assert.deepEqual(await act(service(), puppet, 'proposeChange', { kind: 'key.create', input: { name: 'Mine' } }), {
        ok: false,
        code: 'not_found',
      })
      assert.equal((await read(service(), puppet, 'transactions')).status, 404)
    })

    test('the link of an invitation on no page and in no answer to its proposer', async () => {
      const email = `${randomUUID()}@example.com`
      const changeId = await propose(thief, 'person.invite', { email, name: 'A friend', roles: ['checker'] })
      const token = new URL(String(valueIn(await act(service(), honest, 'confirmChange', { changeId }))['link'])).hash.slice(1)
      for (const page of ['/people', '/application', '/audit', '/keys'])
        assert.ok(!(await read(service(), thief, page)).text.includes(token), page)
      const { rows } = await service().database.pool.query<{ id: string }>(
        'select invitation_id as id from person_invitations where email = $1',
        [email],
      )
      assert.deepEqual(await act(service(), thief, 'renewLink', { invitationId: rows[0]?.id }), { ok: false, code: 'own_proposal' })
    })

    test('rules in force as before: a version that one administrator saves, and activates alone or through a colleague’s forgotten version', async () => {
      const rules = [{ name: 'None', sources: ['api'], limits: { XAF: '99999999900' }, approvals: [1] }]
      const { applicationId } = thief.application
      const gaps = await checkRules(service().database.pool, applicationId, approvalRulesSchema.parse(rules))
      const save = async (person: Person) => {
        const { version } = valueIn(await act(service(), person, 'saveRules', { rules }))
        return { version, accepted: gaps.map(findingKey) }
      }
      const before = await standing()
      const own = await propose(thief, 'policy.activate', await save(thief))
      assert.deepEqual(await act(service(), thief, 'confirmChange', { changeId: own }), { ok: false, code: 'own_proposal' })
      assert.ok((await act(service(), thief, 'withdrawChange', { changeId: own })).ok)
      const forgotten = await propose(thief, 'policy.activate', await save(honest))
      assert.deepEqual(await act(service(), thief, 'confirmChange', { changeId: forgotten }), { ok: false, code: 'own_proposal' })
      assert.ok((await act(service(), thief, 'withdrawChange', { changeId: forgotten })).ok)
      assert.deepEqual(await standing(), before)
    })

    test('balance as before, and a payment above it not paid: money that one person proposes, confirms, and confirms twice at once', async () => {
      const { pool } = service().database
      const balance = async () =>
        (
          await pool.query(
            "select deposit_minor + held_minor as minor from ledger_balances where application_id = $1 and operator = 'OMCM'",
            [thief.application.applicationId],
          )
        ).rows[0]?.minor
      const document = { name: 'slip.pdf', sha256: '0'.repeat(64) }
      const funding = { operator: 'OMCM', amountMinor: '900000', reference: randomUUID(), note: '', document }
      const changeId = await propose(thief, 'funding.pay_in', funding)
      const alone = await Promise.all([1, 2, 3].map(() => act(service(), thief, 'confirmChange', { changeId })))
      assert.deepEqual(alone, Array(3).fill({ ok: false, code: 'own_proposal' }))
      assert.equal(await balance(), 0n)
      const twice = await Promise.all([1, 2, 3].map(() => act(service(), honest, 'confirmChange', { changeId })))
      assert.equal(twice.filter(({ ok }) => ok).length, 1)
      assert.equal(await balance(), 900_000n)
    })

    test('refused: to suspend one colleague after another, to reset a second factor alone, to undo a suspension alone', async () => {
      const [second, third] = [await newPerson(service(), ['administrator']), await newPerson(service(), ['administrator'])]
      const suspender = await newPerson(service(), ['administrator'])
      assert.ok((await act(service(), suspender, 'suspendPerson', { personId: second.personId, acknowledged: true })).ok)
      assert.deepEqual(await act(service(), suspender, 'suspendPerson', { personId: third.personId, acknowledged: true }), {
        ok: false,
        code: 'one_administrator_a_day',
      })
      assert.deepEqual(await act(service(), suspender, 'suspendPerson', { personId: suspender.personId, acknowledged: true }), {
        ok: false,
        code: 'own_membership',
      })
      const back = await propose(suspender, 'person.roles', { personId: second.personId, roles: ['administrator'], isActive: true })
      assert.deepEqual(await act(service(), suspender, 'confirmChange', { changeId: back, acknowledged: true }), {
        ok: false,
        code: 'own_proposal',
      })
      assert.equal((await read(service(), second, 'transactions')).status, 404)
      assert.deepEqual(await act(service(), second, 'confirmChange', { changeId: back, acknowledged: true }), {
        ok: false,
        code: 'not_found',
      })
    })

    test('refused: how operators are reached, from an application that does not run the installation', async () => {
      const changes = { baseUrl: 'https://gateway.example', secret: 'mine' }
      const input = { operator: 'MOMOCM', protocol: 'gateway', changes }
      assert.deepEqual(await act(service(), thief, 'proposeChange', { kind: 'operator.set', input }), {
        ok: false,
        code: 'not_the_installation',
      })
      assert.deepEqual(
        await act(service(), thief, 'startTest', {
          type: 'DEPOSIT',
          operator: 'MOMOCM',
          ending: '901',
          amount: '5000',
          webhookUrl: 'https://partner.example/hook',
        }),
        { ok: false, code: 'not_found' },
      )
    })

    test('not found: proposals, fundings, people, keys and payments of another application, called from the own one and from theirs', async () => {
      const one = await newPerson(service(), ['administrator'], service().teranga)
      await newPerson(service(), ['administrator'], service().teranga)
      const changeId = await propose(one, 'key.create', { name: 'Theirs' })
      const { apiKeyId, apiUserId } = service().teranga
      const attempts: [string, unknown][] = [
        ['confirmChange', { changeId }],
        ['refuseChange', { changeId, reason: 'Mine' }],
        ['withdrawChange', { changeId }],
        ['collectSecret', { changeId }],
        ['revokeKey', { apiKeyId }],
        ['blockApiUser', { apiUserId }],
        ['endSessions', { personId: one.personId, sessionId: null }],
        ['suspendPerson', { personId: one.personId, acknowledged: true }],
      ]
      for (const [action, input] of attempts)
        for (const slug of ['kora', 'teranga']) {
          const answer = await act(service(), thief, action, input, slug)
          assert.ok(!answer.ok && ['not_found', 'not_a_member'].includes(answer.code), `${action} at ${slug}: ${JSON.stringify(answer)}`)
        }
    })

    test('not paid: what an administrator without the roles for it sends, or approves under the name of a checker', async () => {
      const maker = await newPerson(service(), ['maker'])
      const id = await send(service(), maker)
      assert.deepEqual(await act(service(), thief, 'sendForApproval', aPayment()), { ok: false, code: 'forbidden' })
      assert.equal(await decide(service(), thief, id, { contentHash: '0'.repeat(64) }), 'forbidden')
      await assertNotPaid(service(), [id])
    })
  })
}
