import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { OPERATOR_CODES, OPERATORS } from '#lib/operators/operators.ts'
import type { Role } from '#lib/people/permissions.ts'
import { approvalRulesSchema } from '#lib/rules/approval-policy.ts'
import { findingKey } from '#lib/rules/rule-finding.ts'
import { createDirectory } from '#server/applications/directory.ts'
import { setTransferService } from '#server/applications/terms.ts'
import type { CommandActor } from '#server/audit/command-actor.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { listAudit, verifyAuditChain } from '#server/audit/read-audit.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { makePerson } from '#server/testing/factories.ts'
import { createTestPartner, must } from '#server/testing/partner.ts'
import { compareFindings } from './check-activation.ts'
import { checkRules } from './check-rules.ts'
import { activatePolicy, listPolicies, proposePolicy, readRuleVersions } from './policies.ts'

let database: TestDatabase
let applicationId: string
let ada: CommandActor
let ben: CommandActor

before(async () => {
  database = await createTestDatabase()
  applicationId = (await createTestPartner(database.pool)).applicationId
  ada = person()
  ben = person()
  for (const role of ['maker', 'checker', 'checker'] as const) await makePerson(database.pool, applicationId, [role])
})
after(() => database.drop())

function person(roles: Role[] = ['administrator'], inApplication = applicationId): CommandActor {
  return { kind: 'person', id: crypto.randomUUID(), applicationId: inApplication, roles }
}

const CLOSED = { service: { isEnabled: false, enforcesLimits: false, minimumMinor: null, maximumMinor: null } }
const RULES = [{ name: 'Many', sources: ['api', 'person'], approvals: [2] }]

test('a new active version after a second administrator activates what the first one proposed', async () => {
  const { version } = must(await proposePolicy(database.pool, { applicationId, rules: RULES, actor: ada }))
  const directory = await createDirectory({ pool: database.pool })
  try {
    assert.equal(directory.find(applicationId)?.policy?.version, version - 1)
    assert.deepEqual(await activatePolicy(database.pool, { applicationId, version, actor: ada }), { ok: false, error: 'same_person' })
    must(await activatePolicy(database.pool, { applicationId, version, actor: ben }))
    assert.deepEqual(await activatePolicy(database.pool, { applicationId, version, actor: ben }), { ok: false, error: 'already_active' })
    await directory.refresh()
    assert.deepEqual(directory.find(applicationId)?.policy?.rules[0]?.approvals, [2])
    assert.equal(directory.find(applicationId)?.policy?.version, version)
  } finally {
    await directory.close()
  }
  const [newest] = await listPolicies(database.pool, applicationId)
  assert.deepEqual([newest?.version, newest?.proposedBy, newest?.activatedBy], [version, ada.id, ben.id])
  must(await verifyAuditChain(database.pool, applicationId))
})

test('two_people_change_the_rules from the table for one person who proposes and activates', async () => {
  await assert.rejects(
    database.pool.query(
      `insert into approval_policies (application_id, version, rules, proposed_by, activated_by, activated_at) values ($1, 999, '[]', $2, $2, now())`,
      [applicationId, ada.id],
    ),
    { constraint: 'two_people_change_the_rules' },
  )
})

test('not_permitted for everybody but the administrators of this application', async () => {
  for (const actor of [person(['maker', 'checker', 'finance']), person(['administrator'], crypto.randomUUID())]) {
    assert.deepEqual(await proposePolicy(database.pool, { applicationId, rules: RULES, actor }), {
      ok: false,
      error: { kind: 'not_permitted' },
    })
    assert.deepEqual(await activatePolicy(database.pool, { applicationId, version: 1, actor }), { ok: false, error: 'not_permitted' })
  }
})

test('invalid_rules with every problem named', async () => {
  const answer = await proposePolicy(database.pool, {
    applicationId,
    rules: [{ ...RULES[0], approvals: [9], limits: { XAF: '-1' } }],
    actor: ada,
  })
  assert.ok(!answer.ok && answer.error.kind === 'invalid_rules' && answer.error.problems.length === 2)
  assert.ok(!(await proposePolicy(database.pool, { applicationId, rules: 'none', actor: ada })).ok)
  assert.ok(!(await proposePolicy(database.pool, { applicationId: crypto.randomUUID(), rules: RULES, actor: SYSTEM_ACTOR })).ok)
})

/** An application of its own with a maker and two checkers, and two administrators. */
async function team() {
  const own = (await createTestPartner(database.pool)).applicationId
  for (const role of ['maker', 'checker', 'checker'] as const) await makePerson(database.pool, own, [role])
  const [first, second] = [person(['administrator'], own), person(['administrator'], own)]
  return {
    own,
    draft: async (rules: unknown) => must(await proposePolicy(database.pool, { applicationId: own, rules, actor: first })).version,
    activate: (version: number, accepted?: string[], actor: CommandActor = second) =>
      activatePolicy(database.pool, { applicationId: own, version, accepted, actor }),
  }
}

const THREE = { ...RULES[0], approvals: [2, 1] }

test('a draft of a person with every gap; nobody_can_approve when people activate it, none for the command line', async () => {
  const { own, draft, activate } = await team()
  const version = await draft([THREE])
  const { versions } = await readRuleVersions(database.pool, own)
  assert.deepEqual([versions[0]?.version, versions[0]?.rules?.[0]?.approvals], [version, [2, 1]])
  assert.deepEqual(await activate(version), { ok: false, error: 'nobody_can_approve' })
  assert.deepEqual(await activate(await draft([{ ...RULES[0], needsCode: true }])), { ok: false, error: 'nobody_can_approve' })
  assert.ok((await activate(version, [], SYSTEM_ACTOR)).ok)
})

test('a gap of the version in effect refuses no other version; more of it does', async () => {
  const { own, draft, activate } = await team()
  const lowered = { ...RULES[0], name: 'Lowered', operators: ['OMCM'], approvals: [1] }
  const worse = await draft([{ ...THREE, approvals: [2, 2] }])
  const same = await draft([THREE, lowered])
  must(await activate(await draft([THREE]), [], SYSTEM_ACTOR))
  const again = await draft([THREE, lowered])
  const { known, added } = await compareFindings(database.pool, own, {
    active: approvalRulesSchema.parse([THREE]),
    rules: approvalRulesSchema.parse([THREE, lowered]),
  })
  assert.deepEqual([known.map(({ kind }) => kind), added], [['nobody_can_approve'], []])
  assert.deepEqual(await activate(worse), { ok: false, error: 'superseded' })
  assert.deepEqual(await activate(await draft([{ ...THREE, approvals: [2, 2] }])), { ok: false, error: 'nobody_can_approve' })
  assert.deepEqual(await activate(await draft([THREE, { ...THREE, name: 'Another' }])), { ok: false, error: 'nobody_can_approve' })
  assert.deepEqual(await activate(same), { ok: false, error: 'superseded' })
  assert.ok((await activate(again)).ok)
})

test('not_accepted until every new gap is accepted by name; what was accepted is in the audit record', async () => {
  const { own, draft, activate } = await team()
  const rules = (limit: string) => [{ ...RULES[0], sources: ['api'], limits: { XAF: limit } }]
  const version = await draft(rules('50000000'))
  assert.deepEqual(await activate(version), { ok: false, error: 'not_accepted' })
  const findings = await checkRules(database.pool, own, approvalRulesSchema.parse(rules('50000000')))
  assert.deepEqual(
    findings.map(({ kind }) => kind),
    ['currency_without_rule', 'amounts_without_rule'],
  )
  const keys = findings.map(findingKey)
  assert.deepEqual(await activate(version, keys.slice(1)), { ok: false, error: 'not_accepted' })
  must(await activate(version, keys))
  const [entry] = await listAudit(database.pool, own, { size: 1 })
  assert.deepEqual([entry?.action, entry?.details['accepted']], ['policy.activated', keys])
  // A lower limit leaves less of the same gap, a higher one more.
  assert.deepEqual(await activate(await draft(rules('60000000'))), { ok: false, error: 'not_accepted' })
  must(await activate(await draft(rules('40000000'))))
})

test('currency_without_rule for the direction that is in service, not for the one that is closed', async () => {
  const own = (await createTestPartner(database.pool)).applicationId
  for (const operator of OPERATOR_CODES.filter((code) => OPERATORS[code].country.currency === 'UGX'))
    must(await setTransferService(database.pool, { ...CLOSED, applicationId: own, operator, type: 'COLLECT', actor: SYSTEM_ACTOR }))
  const rules = approvalRulesSchema.parse([{ ...RULES[0], types: ['COLLECT', 'DEPOSIT'], limits: { XAF: '50000000' } }])
  const missing = (await checkRules(database.pool, own, rules)).flatMap((finding) =>
    finding.kind === 'currency_without_rule' && finding.currencies.includes('UGX') ? [finding.type] : [],
  )
  assert.deepEqual([...new Set(missing)], ['DEPOSIT'])
})

test('superseded for a proposal older than the active version, unknown_version for one that does not exist', async () => {
  const old = must(await proposePolicy(database.pool, { applicationId, rules: RULES, actor: ada })).version
  const current = must(await proposePolicy(database.pool, { applicationId, rules: [], actor: ada })).version
  must(await activatePolicy(database.pool, { applicationId, version: current, actor: ben }))
  assert.deepEqual(await activatePolicy(database.pool, { applicationId, version: old, actor: ben }), { ok: false, error: 'superseded' })
  assert.deepEqual(await activatePolicy(database.pool, { applicationId, version: 12_345, actor: ben }), {
    ok: false,
    error: 'unknown_version',
  })
})

test('ten version numbers for ten proposals at once, and one success for two activations at once', async () => {
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => proposePolicy(database.pool, { applicationId, rules: RULES, actor: ada })),
  )
  const versions = answers.map((answer) => must(answer).version).sort((left, right) => left - right)
  assert.equal(new Set(versions).size, 10)
  const version = versions.at(-1) ?? 0
  const both = await Promise.all([ben, person()].map((actor) => activatePolicy(database.pool, { applicationId, version, actor })))
  assert.equal(both.filter((answer) => answer.ok).length, 1)
})

test('the active version, however old, beside the hundred newest', async () => {
  const own = (await createTestPartner(database.pool)).applicationId
  await database.pool.query(
    `insert into approval_policies (application_id, version, rules)
       select $1, 1 + n, '[{"name":"Later","sources":["api"],"approvals":[2]}]' from generate_series(1, 101) as n`,
    [own],
  )
  const { versions, active } = await readRuleVersions(database.pool, own)
  assert.deepEqual([versions.length, versions[0]?.version, versions.at(-1)?.version], [100, 102, 3])
  assert.deepEqual([active?.version, active?.isActive, versions.some(({ isActive }) => isActive)], [1, true, false])
})
