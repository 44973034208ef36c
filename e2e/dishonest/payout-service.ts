import { randomUUID } from 'node:crypto'
import { type Partner, signIn as signInPartner } from '#e2e/contract/service.ts'
import { signIn } from '#e2e/roles/callers.ts'
import { readBuiltActions } from '#e2e/roles/find-endpoints.ts'
import type { Role } from '#lib/people/permissions.ts'
import type { approvalRulesSchema } from '#lib/rules/approval-policy.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { type ScriptedOperator, sayNotFound, sayTransfer, startScriptedOperator } from '#server/operators/testing/scripted-operator.ts'
import { createPerson } from '#server/people/accounts.ts'
import { activatePolicy, proposePolicy } from '#server/policy/policies.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database.ts'
import { fund } from '#server/testing/factories.ts'
import { createTestPartner, must, type TestPartner } from '#server/testing/partner.ts'
import { PRODUCTION, startService } from '#server/testing/service/start-service.ts'

/** Shared with the operator: authorises calls and signs callbacks. */
export const OPERATOR_SECRET = 'shared with the operator of these tests'
/** The deposit balance of each application at MOMOCM. */
export const BALANCE_MINOR = 100_000_000n

/** Up to 10,000 one checker approves what a person prepares; above it two, and above 100,000 with a one-time code. */
const RULES: Parameters<typeof approvalRulesSchema.parse>[0] = [
  {
    name: 'Two above 10,000',
    sources: ['api', 'person', 'file'],
    limits: { XAF: '1000000' },
    approvals: [2],
    apiMayDecide: true,
  },
  { name: 'A code above 100,000', sources: ['person', 'file'], limits: { XAF: '10000000' }, approvals: [1], needsCode: true },
]

export type Application = Partner & { slug: string }
/** A person with the session that their browser has after the sign-in. */
export type Person = { personId: string; email: string; password: string; cookie: string; application: Application }
/** The result of an action: its value, or the code of its refusal. */
export type Answer = { ok: true; value: Readonly<Record<string, unknown>> } | { ok: false; code: string }

/** A production service that pays what is approved, through one operator whose books the tests read. */
export type PayoutService = {
  baseUrl: string
  database: TestDatabase
  /** MOMOCM. It carries out what it is asked to, unless a test changes its script; `submitted` are its books. */
  operator: ScriptedOperator
  /** The application of the dishonest person, and another one of the same installation. */
  kora: Application
  teranga: Application
  /** Ends it in order; resolves with its exit code. */
  end(): Promise<number | null>
}

/** Starts the service with its worker; both applications have the same rules and a funded balance. */
export async function startPayoutService(): Promise<PayoutService> {
  const database = await createTestDatabase({ mode: 'production' })
  const operator = await startScriptedOperator({ submit: (asked) => sayTransfer(asked, 'SUCCESS'), query: sayNotFound })
  const partners = [await openApplication(database, 'Kora'), await openApplication(database, 'Teranga')] as const
  const gateway = { OPERATOR_MOMOCM_BASE_URL: operator.url, OPERATOR_MOMOCM_SECRET: OPERATOR_SECRET }
  const environment = { ...PRODUCTION, ROLE: 'all', DATABASE_URL: database.url, ...gateway }
  const service = await startService({ environment, readiness: 'pages' })
  const kora = { ...(await signInPartner(service.baseUrl, partners[0])), slug: 'kora' }
  const teranga = { ...(await signInPartner(service.baseUrl, partners[1])), slug: 'teranga' }
  return {
    baseUrl: service.baseUrl,
    database,
    operator,
    kora,
    teranga,
    async end() {
      const code = await service.stop()
      await operator.close()
      await database.drop()
      return code
    },
  }
}

/** Before the service starts, so that it has the rules from its first request. */
async function openApplication({ pool }: TestDatabase, name: string): Promise<TestPartner> {
  const partner = await createTestPartner(pool, { name })
  const { applicationId } = partner
  const { version } = must(await proposePolicy(pool, { applicationId, rules: RULES, actor: SYSTEM_ACTOR }))
  must(await activatePolicy(pool, { applicationId, version, actor: SYSTEM_ACTOR }))
  await fund(pool, applicationId, 'MOMOCM', BALANCE_MINOR)
  return partner
}

/** Creates a person and signs them in over HTTP. */
export async function newPerson(service: PayoutService, roles: readonly Role[], application = service.kora): Promise<Person> {
  const { pool } = service.database
  const email = `${randomUUID()}@example.com`
  const person = { applicationId: application.applicationId, email, name: 'A person', roles, actor: SYSTEM_ACTOR }
  const { personId, password } = must(await createPerson(pool, person))
  if (password === null) throw new Error('This person exists already')
  return { personId, email, password, cookie: await signIn(service.baseUrl, email, password), application }
}

let actions: Map<string | undefined, { id: string; page: string }> | undefined

/** Calls a server action as a browser does, with these arguments. Without `slug`: one of the pages around the sign-in. */
export async function callAction(
  service: PayoutService,
  action: string,
  cookie: string,
  args: readonly unknown[],
  slug = '',
): Promise<Response> {
  actions ??= new Map((await readBuiltActions()).map(({ name, id, page }) => [name.split(' ')[1], { id, page }]))
  const found = actions.get(action)
  if (!found) throw new Error(`No page calls ${action}`)
  return fetch(service.baseUrl + found.page.replaceAll('[application]', slug).replaceAll(/\[\w+\]/g, randomUUID()), {
    method: 'POST',
    redirect: 'manual',
    headers: {
      cookie,
      'next-action': found.id,
      accept: 'text/x-component',
      'content-type': 'text/plain;charset=UTF-8',
      origin: service.baseUrl,
    },
    body: JSON.stringify(args),
  })
}

/** Calls an action of an application. `slug`: the application that the call names, by default the person's own. */
export async function act(
  service: PayoutService,
  { cookie, application }: Person,
  action: string,
  input: unknown,
  slug = application.slug,
): Promise<Answer> {
  return answerIn(await (await callAction(service, action, cookie, [slug, input], slug)).text())
}

/** The result of an action, which is the one object with `ok` in the stream of its answer. */
function answerIn(stream: string): Answer {
  for (const line of stream.split('\n')) {
    const [, json] = /^\w+:(\{"ok":.*)$/.exec(line) ?? []
    if (json === undefined) continue
    const result = JSON.parse(json) as { ok: boolean; value?: Record<string, unknown>; error?: { code: string } }
    return result.ok ? { ok: true, value: result.value ?? {} } : { ok: false, code: result.error?.code ?? '' }
  }
  throw new Error(`The action did not answer: ${stream.slice(0, 400)}`)
}

/** The value of an action that had to work. */
export function valueIn(answer: Answer): Readonly<Record<string, unknown>> {
  if (!answer.ok) throw new Error(`The action was refused: ${answer.code}`)
  return answer.value
}

/** Reads a data address below `/api/back-office/<application>/` or, with a leading slash, a page of the application. */
export async function read(service: PayoutService, { cookie, application: { slug } }: Person, path: string) {
  const address = path.startsWith('/') ? `/${slug}${path}` : `/api/back-office/${slug}/${path}`
  const answer = await fetch(service.baseUrl + address, { headers: { cookie }, redirect: 'manual' })
  const text = await answer.text()
  const json = (): unknown => JSON.parse(text)
  return { status: answer.status, text, json }
}
