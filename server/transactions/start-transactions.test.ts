import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { OPERATORS } from '#lib/operators/operators.ts'
import type { Role } from '#lib/people/permissions.ts'
import type { TransactionRequest } from '#lib/schemas/api/transaction-request.ts'
import { createDirectory } from '#server/applications/directory.ts'
import type { ApplicationSnapshot } from '#server/applications/snapshot.ts'
import { setFeeSchedule, setTransferService } from '#server/applications/terms.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { activatePolicy, proposePolicy } from '#server/policy/policies.ts'
import { connectedTo } from '#server/testing/connected.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { fund, makePerson } from '#server/testing/factories.ts'
import { createTestPartner, must } from '#server/testing/partner.ts'
import { createIntake, type Intake } from './intake.ts'
import { type StartTransactionsCommand, type StartTransactionsDeps, startTransactions } from './start-transactions.ts'

const ALL_CONNECTED = connectedTo()

let database: TestDatabase
let deps: StartTransactionsDeps
before(async () => {
  database = await createTestDatabase()
  deps = { pool: database.pool, intake: createIntake({ pool: database.pool }), connectors: ALL_CONNECTED }
})
after(() => database.drop())

/** An application as requests see it, after `change` has configured it. */
async function anApplication(change: (applicationId: string) => Promise<void> = async () => undefined): Promise<ApplicationSnapshot> {
  const { applicationId } = await createTestPartner(database.pool)
  await change(applicationId)
  const directory = await createDirectory({ pool: database.pool })
  try {
    const application = directory.find(applicationId)
    assert.ok(application)
    return application
  } finally {
    await directory.close()
  }
}

function aRequest(overrides: Partial<TransactionRequest> = {}): TransactionRequest {
  const { country } = OPERATORS[overrides.transferMethod ?? 'MOMOCM']
  return {
    transferMethod: 'MOMOCM',
    customerName: 'Clarisse Mbarga',
    externalId: randomUUID(),
    phoneNumber: `${country.dialCode}677209341`,
    amount: 500_000n,
    webhookUrl: 'https://partner.example/hooks',
    countryName: country.name,
    ...overrides,
  }
}

type Start = Pick<StartTransactionsCommand, 'type' | 'requests'>

function throughApi(application: ApplicationSnapshot, start: Start, ownDeps = deps) {
  return startTransactions(ownDeps, { application, source: 'api', actor: { kind: 'api', id: randomUUID() }, ...start })
}

async function byPerson(application: ApplicationSnapshot, start: Start, options: { roles?: Role[]; batchId?: string } = {}) {
  const { roles = ['maker'], batchId } = options
  const { applicationId } = application
  const id = await makePerson(database.pool, applicationId, roles)
  const actor = { kind: 'person', id, applicationId, roles } as const
  return { id, started: await startTransactions(deps, { application, source: batchId ? 'file' : 'person', actor, batchId, ...start }) }
}

function service(overrides: { isEnabled?: boolean; enforcesLimits?: boolean; minimumMinor?: bigint; maximumMinor?: bigint }) {
  return async (applicationId: string) => {
    const own = { isEnabled: true, enforcesLimits: false, minimumMinor: null, maximumMinor: null, ...overrides }
    const command = { applicationId, operator: 'MOMOCM', type: 'DEPOSIT', service: own, actor: SYSTEM_ACTOR } as const
    must(await setTransferService(database.pool, command))
  }
}

/** Puts one rule in force: deposits of the API above 10,000 wait. */
async function ruleAboveTenThousand(applicationId: string): Promise<void> {
  const rules = [{ name: 'Large', sources: ['api'], limits: { XAF: '1000000' }, approvals: [1] }]
  const { version } = must(await proposePolicy(database.pool, { applicationId, rules, actor: SYSTEM_ACTOR }))
  must(await activatePolicy(database.pool, { applicationId, version, actor: SYSTEM_ACTOR }))
}

async function readStored({ applicationId }: ApplicationSnapshot) {
  const { rows } = await database.pool.query<Record<string, unknown>>(
    `select t.external_id, t.status, t.source, t.maker_id, t.batch_id, t.held_minor, w.state, e.actor_kind, e.actor_id
       from transactions t join all_transaction_events e using (application_id, transaction_id)
       left join operator_work w using (application_id, transaction_id) where t.application_id = $1 order by t.sequence`,
    [applicationId],
  )
  return rows
}

const kindsOf = (outcomes: { kind: string }[]) => outcomes.map((outcome) => outcome.kind)
const statusesOf = (outcomes: object[]) => outcomes.map((outcome) => 'status' in outcome && outcome.status)

test('created and PENDING with its fees held: a deposit through the API that the balance covers', async () => {
  const application = await anApplication()
  await fund(database.pool, application.applicationId, 'MOMOCM', 1_000_000n)
  const actor = { kind: 'api', id: randomUUID() } as const
  const [outcome] = must(await startTransactions(deps, { application, source: 'api', actor, type: 'DEPOSIT', requests: [aRequest()] }))
  assert.ok(outcome?.kind === 'created')
  assert.deepEqual(
    [outcome.status, outcome.amountMinor, outcome.feeSystemMinor, outcome.feeAppMinor],
    ['PENDING', 500_000n, 5_000n, 2_500n],
  )
  const [stored] = await readStored(application)
  assert.deepEqual([stored?.['source'], stored?.['maker_id'], stored?.['held_minor'], stored?.['state']], ['api', null, 507_500n, 'queued'])
  assert.deepEqual([stored?.['actor_kind'], stored?.['actor_id']], ['api', actor.id])
})

test('created and PENDING with nothing held: a deposit that the balance does not cover', async () => {
  const application = await anApplication()
  assert.deepEqual(statusesOf(must(await throughApi(application, { type: 'DEPOSIT', requests: [aRequest()] }))), ['PENDING'])
  const [stored] = await readStored(application)
  assert.deepEqual([stored?.['held_minor'], stored?.['state']], [0n, 'unfunded'])
})

test('existing with the first transactionId: the same request again, alone and in an array', async () => {
  const application = await anApplication()
  const requests = [aRequest(), aRequest()]
  const first = must(await throughApi(application, { type: 'COLLECT', requests }))
  const again = must(await throughApi(application, { type: 'COLLECT', requests }))
  const alone = must(await throughApi(application, { type: 'COLLECT', requests: requests.slice(0, 1) }))
  assert.deepEqual(kindsOf([...again, ...alone]), ['existing', 'existing', 'existing'])
  assert.deepEqual(
    again.map((outcome) => ({ ...outcome, kind: 'created' })),
    first,
  )
  assert.equal((await readStored(application)).length, 2)
})

test('service_disabled for each request of a service that is switched off', async () => {
  const application = await anApplication(service({ isEnabled: false }))
  const requests = [aRequest({ transferMethod: 'OMCM' }), aRequest()]
  assert.deepEqual(await throughApi(application, { type: 'DEPOSIT', requests }), {
    ok: false,
    error: { kind: 'refused', problems: [{ index: 1, kind: 'service_disabled' }] },
  })
  assert.deepEqual(await readStored(application), [])
})

test('operator_not_in_service for an operator without a connector', async () => {
  const application = await anApplication()
  const connectors = connectedTo(['OMCM'])
  assert.deepEqual(await throughApi(application, { type: 'COLLECT', requests: [aRequest()] }, { ...deps, connectors }), {
    ok: false,
    error: { kind: 'refused', problems: [{ index: 0, kind: 'operator_not_in_service' }] },
  })
})

test('amount_out_of_limits outside the limits that an administrator enforces; created at both of them', async () => {
  const application = await anApplication(service({ enforcesLimits: true, minimumMinor: 10_000n, maximumMinor: 20_000n }))
  const deposit = (amount: bigint) => throughApi(application, { type: 'DEPOSIT', requests: [aRequest({ amount })] })
  for (const amount of [9_999n, 20_001n]) {
    assert.deepEqual(await deposit(amount), {
      ok: false,
      error: {
        kind: 'refused',
        problems: [{ index: 0, kind: 'amount_out_of_limits', minimumMinor: 10_000n, maximumMinor: 20_000n, multipleMinor: null }],
      },
    })
  }
  for (const amount of [10_000n, 20_000n]) assert.deepEqual(kindsOf(must(await deposit(amount))), ['created'])
})

test('created outside limits that are stored but not enforced', async () => {
  const application = await anApplication(service({ minimumMinor: 10_000n, maximumMinor: 20_000n }))
  assert.deepEqual(kindsOf(must(await throughApi(application, { type: 'DEPOSIT', requests: [aRequest({ amount: 30_000n })] }))), [
    'created',
  ])
})

test('amount_not_above_fees for a collect that would credit nothing; created from the smallest amount that it names', async () => {
  const application = await anApplication(async (applicationId) => {
    const fees = { systemRatePpm: 0, systemFixedMinor: 10_000n, appRatePpm: 0, appFixedMinor: 5_000n }
    must(await setFeeSchedule(database.pool, { applicationId, operator: 'MOMOCM', type: 'COLLECT', fees, actor: SYSTEM_ACTOR }))
  })
  const collect = (amount: bigint) => throughApi(application, { type: 'COLLECT', requests: [aRequest({ amount })] })
  const refused = await collect(15_000n)
  assert.ok(!refused.ok && refused.error.kind === 'refused')
  const [problem] = refused.error.problems
  assert.deepEqual(problem, {
    index: 0,
    kind: 'amount_not_above_fees',
    fees: { feeSystemMinor: 10_000n, feeAppMinor: 5_000n },
    smallestMinor: 15_001n,
  })
  assert.deepEqual(kindsOf(must(await collect(15_001n))), ['created'])
})

test('only the problems of the first check that fails: a service that is off hides an amount out of limits', async () => {
  const application = await anApplication(service({ enforcesLimits: true, maximumMinor: 100n }))
  const requests = [aRequest(), aRequest({ transferMethod: 'OMCM' })]
  const connectors = connectedTo(['MOMOCM'])
  assert.deepEqual(await throughApi(application, { type: 'DEPOSIT', requests }, { ...deps, connectors }), {
    ok: false,
    error: { kind: 'refused', problems: [{ index: 1, kind: 'operator_not_in_service' }] },
  })
})

test('external_id_repeated for the later of two requests with one externalId, and nothing is started', async () => {
  const application = await anApplication()
  const request = aRequest()
  assert.deepEqual(await throughApi(application, { type: 'DEPOSIT', requests: [request, aRequest(), request] }), {
    ok: false,
    error: { kind: 'refused', problems: [{ index: 2, kind: 'external_id_repeated', firstIndex: 0 }] },
  })
  assert.deepEqual(await readStored(application), [])
})

test('external_id_taken for each externalId that is stored with other content, and nothing is started', async () => {
  const application = await anApplication()
  const stored = aRequest()
  must(await throughApi(application, { type: 'DEPOSIT', requests: [stored] }))
  const other = { ...stored, amount: 1n }
  assert.deepEqual(await throughApi(application, { type: 'DEPOSIT', requests: [aRequest(), other] }), {
    ok: false,
    error: { kind: 'refused', problems: [{ index: 1, kind: 'external_id_taken' }] },
  })
  for (const start of [
    { type: 'DEPOSIT', requests: [other] },
    { type: 'COLLECT', requests: [stored] },
  ] as const) {
    assert.deepEqual(await throughApi(application, start), {
      ok: false,
      error: { kind: 'refused', problems: [{ index: 0, kind: 'external_id_taken' }] },
    })
  }
  assert.equal((await readStored(application)).length, 1)
})

test('conflict in its place when another caller takes an externalId between the check and intake; the others are created', async () => {
  const application = await anApplication()
  const contested = aRequest()
  let isTaken = false
  const intake: Pick<Intake, 'submit'> = {
    async submit(item) {
      if (item.externalId === contested.externalId && !isTaken) {
        isTaken = true
        must(await throughApi(application, { type: 'DEPOSIT', requests: [{ ...contested, amount: 1n }] }))
      }
      return deps.intake.submit(item)
    },
  }
  const outcomes = must(
    await throughApi(application, { type: 'DEPOSIT', requests: [aRequest(), contested, aRequest()] }, { ...deps, intake }),
  )
  assert.deepEqual(kindsOf(outcomes), ['created', 'conflict', 'created'])
})

test('PENDING_APPROVAL through the API above the threshold of a rule, PENDING at it', async () => {
  const application = await anApplication(ruleAboveTenThousand)
  const deposit = async (amount: bigint, phoneNumber: string) =>
    statusesOf(must(await throughApi(application, { type: 'DEPOSIT', requests: [aRequest({ amount, phoneNumber })] })))
  assert.deepEqual(await deposit(1_000_000n, '237670000001'), ['PENDING'])
  assert.deepEqual(await deposit(1_000_001n, '237670000002'), ['PENDING_APPROVAL'])
})

test('PENDING_APPROVAL for every request of an array whose total in one currency is above the threshold', async () => {
  const application = await anApplication(ruleAboveTenThousand)
  const xaf = (phoneNumber: string) => aRequest({ amount: 600_000n, phoneNumber })
  const ugx = aRequest({ transferMethod: 'UGMTN', amount: 600_000n })
  const alone = must(await throughApi(application, { type: 'DEPOSIT', requests: [xaf('237670000011'), ugx] }))
  assert.deepEqual(statusesOf(alone), ['PENDING', 'PENDING'])
  const again = { ...ugx, externalId: randomUUID() }
  const requests = [xaf('237670000012'), again, xaf('237670000013')]
  const together = must(await throughApi(application, { type: 'DEPOSIT', requests }))
  assert.deepEqual(statusesOf(together), ['PENDING_APPROVAL', 'PENDING', 'PENDING_APPROVAL'])
})

test('PENDING_APPROVAL with its maker for what a person starts on a page, under any rules and of any type', async () => {
  for (const change of [undefined, ruleAboveTenThousand]) {
    for (const type of ['DEPOSIT', 'COLLECT'] as const) {
      const application = await anApplication(change)
      const { id, started } = await byPerson(application, { type, requests: [aRequest({ amount: 100n })] })
      assert.deepEqual(statusesOf(must(started)), ['PENDING_APPROVAL'])
      const [stored] = await readStored(application)
      assert.deepEqual([stored?.['source'], stored?.['maker_id'], stored?.['state']], ['person', id, null])
      assert.deepEqual([stored?.['actor_kind'], stored?.['actor_id']], ['person', id])
    }
  }
})

test('PENDING_APPROVAL with its batchId for each request of a file', async () => {
  const application = await anApplication()
  const batchId = randomUUID()
  const { id, started } = await byPerson(application, { type: 'DEPOSIT', requests: [aRequest(), aRequest()] }, { batchId })
  assert.deepEqual(statusesOf(must(started)), ['PENDING_APPROVAL', 'PENDING_APPROVAL'])
  for (const stored of await readStored(application)) {
    assert.deepEqual([stored['source'], stored['maker_id'], stored['batch_id']], ['file', id, batchId])
  }
})

test('PENDING_APPROVAL for what a person starts in an application without stored rules', async () => {
  const application = { ...(await anApplication()), policy: null }
  const { started } = await byPerson(application, { type: 'DEPOSIT', requests: [aRequest()] })
  assert.deepEqual(statusesOf(must(started)), ['PENDING_APPROVAL'])
})

test('not_permitted for a person who is not a maker, or a maker of another application only', async () => {
  const application = await anApplication()
  const start: Start = { type: 'DEPOSIT', requests: [aRequest()] }
  const { id, started } = await byPerson(application, start, { roles: ['checker', 'finance', 'administrator'] })
  assert.deepEqual(started, { ok: false, error: { kind: 'not_permitted' } })
  const actor = { kind: 'person', id, applicationId: (await anApplication()).applicationId, roles: ['maker'] } as const
  assert.deepEqual(await startTransactions(deps, { application, source: 'person', actor, ...start }), started)
  assert.deepEqual(await readStored(application), [])
})

test('application_disabled for a disabled application', async () => {
  const application = await anApplication(async (applicationId) => {
    await database.pool.query('update applications set is_enabled = false where application_id = $1', [applicationId])
  })
  const { started } = await byPerson(application, { type: 'DEPOSIT', requests: [aRequest()] })
  assert.deepEqual(started, { ok: false, error: { kind: 'application_disabled' } })
})

test('overloaded when a single request finds a full queue, and it is not stored', async () => {
  const application = await anApplication()
  const intake = createIntake({ pool: database.pool, queueMax: 0 })
  assert.deepEqual(await throughApi(application, { type: 'COLLECT', requests: [aRequest()] }, { ...deps, intake }), {
    ok: false,
    error: { kind: 'overloaded' },
  })
  assert.deepEqual(await readStored(application), [])
})

test('overloaded when the queue can hold only a part of an array; sending it again starts each request once', async () => {
  const application = await anApplication()
  const intake = createIntake({ pool: database.pool, queueMax: 4 })
  const start: Start = { type: 'COLLECT', requests: Array.from({ length: 10 }, () => aRequest()) }
  assert.deepEqual(await throughApi(application, start, { ...deps, intake }), { ok: false, error: { kind: 'overloaded' } })
  assert.equal((await readStored(application)).length, 3)
  assert.deepEqual(kindsOf(must(await throughApi(application, start))).toSorted(), [
    ...Array<string>(7).fill('created'),
    ...Array<string>(3).fill('existing'),
  ])
})

test('created for each request of a file that has more requests than an application may have in the queue', async () => {
  const application = await anApplication()
  const intake = createIntake({ pool: database.pool, queueMax: 1_400 })
  const requests = Array.from({ length: 2_100 }, () => aRequest({ amount: 100n }))
  const outcomes = must(await throughApi(application, { type: 'COLLECT', requests }, { ...deps, intake }))
  assert.deepEqual(new Set(kindsOf(outcomes)), new Set(['created']))
  assert.equal(outcomes.length, 2_100)
})

test('one submission for a transaction that goes to its operator, none for one that waits or exists', async () => {
  const application = await anApplication()
  let submissions = 0
  const claim = { route: 'sandbox', leaseMs: 1_000, firstQueryMs: 1_000, enquiryDelayMs: undefined, settingsVersion: undefined }
  const intake = createIntake({
    pool: database.pool,
    reserveSlots: (items) => ({
      claims: items.map(() => claim),
      submit: (claimed) => {
        submissions += claimed.length
      },
    }),
  })
  const ownDeps = { ...deps, intake }
  const start: Start = { type: 'COLLECT', requests: [aRequest()] }
  must(await throughApi(application, start, ownDeps))
  assert.equal(submissions, 1)
  must(await throughApi(application, start, ownDeps))
  const actor = { kind: 'person', id: randomUUID(), applicationId: application.applicationId, roles: ['maker'] } as const
  must(await startTransactions(ownDeps, { application, source: 'person', actor, type: 'DEPOSIT', requests: [aRequest()] }))
  assert.equal(submissions, 1)
})
