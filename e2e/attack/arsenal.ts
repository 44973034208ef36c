import { randomUUID } from 'node:crypto'
import { decode, encode } from 'next-auth/jwt'
import { signIn as signInPerson } from '#e2e/roles/callers.ts'
import { readBuiltActions } from '#e2e/roles/find-endpoints.ts'
import type { Role } from '#lib/people/permissions.ts'
import type { Pool } from '#server/database/pool.ts'
import type { SandboxApplication, SandboxFile } from '#server/sandbox/seed-sandbox.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { gatherHoldings, type Holdings } from './holdings.ts'

/** One application's program with everything that it may legally hold. */
type Program = SandboxApplication & {
  slug: string
  accessToken: string
  refreshToken: string
  transactionIds: readonly string[]
  holdings: Holdings
}

/** A person who is signed in to the back office. */
type Visitor = { name: string; email: string; roles: readonly Role[]; cookie: string }

/** The attackers' material: credentials of two applications, sessions, existing ids, and the ids of server actions. */
export type Arsenal = {
  host: string
  port: number
  baseUrl: string
  /** The application that attacks, and another one whose secrets must be worth nothing there. */
  program: Program
  other: Program
  visitors: readonly Visitor[]
  /** People of one application alone, each signed in. */
  insiders: Readonly<Record<'program' | 'other', readonly Visitor[]>>
  /** A transaction of `program` that waits for approval; undefined when the sandbox has none. */
  waitingId: string | undefined
  actions: readonly { name: string; id: string; page: string }[]
  /** Cookies that the service's own secret sealed and that must open nothing: expired, of nobody, of another generation. */
  deadCookies: readonly { what: string; cookie: string }[]
  /** Signs access tokens: what an attacker has after a leak. */
  tokenSecret: string
  /** A receiver on loopback that takes every webhook. */
  webhookUrl: string
}

type ArsenalOptions = {
  place: { host: string; port: number }
  sandbox: SandboxFile
  pool: Pool
  webhookUrl: string
  secrets: { token: string; session: string }
}

/** Signs everybody in and looks up what exists. Throws when the service refuses correct credentials. */
export async function gatherArsenal({ place, sandbox, pool, webhookUrl, secrets }: ArsenalOptions): Promise<Arsenal> {
  const baseUrl = `http://${place.host}:${place.port}`
  const [first, second] = sandbox.applications
  if (!first || !second) throw new Error('The sandbox must have two applications')
  const visitors = await signInPeople(baseUrl, first)
  if (visitors.length === 0) throw new Error('Nobody of the sandbox could sign in')
  const isOf =
    ({ people }: SandboxApplication) =>
    (one: Visitor) =>
      people.some(({ email }) => email === one.email)
  const insiders = {
    program: visitors.filter((one) => !isOf(second)(one)),
    other: (await signInPeople(baseUrl, second)).filter((one) => !isOf(first)(one)),
  }
  const program = await equip(baseUrl, pool, first)
  const { rows } = await pool.query<{ transaction_id: string }>(
    `select t.transaction_id from transactions t join applications a using (application_id)
       where a.api_id = $1 and t.status = 'PENDING_APPROVAL' order by t.sequence limit 1`,
    [first.apiId],
  )
  return {
    ...place,
    baseUrl,
    program,
    other: await equip(baseUrl, pool, second),
    visitors,
    insiders,
    waitingId: rows[0]?.transaction_id,
    actions: await readBuiltActions(),
    webhookUrl,
    tokenSecret: secrets.token,
    deadCookies: await sealDeadCookies(visitors[0]?.cookie ?? '', secrets.session),
  }
}

async function signInPeople(baseUrl: string, { people }: SandboxApplication): Promise<Visitor[]> {
  const visitors: Visitor[] = []
  for (const { name, email, password, roles } of people) {
    const cookie = await signInPerson(baseUrl, email, password).catch(() => undefined)
    // A person whose second factor is on cannot sign in with the password alone.
    if (cookie) visitors.push({ name, email, roles, cookie })
  }
  return visitors
}

/** Copies of a real session, sealed again with one value changed. */
async function sealDeadCookies(cookie: string, secret: string): Promise<{ what: string; cookie: string }[]> {
  const [name = '', token = ''] = cookie.split(/=(.*)/s)
  const claims = await decode({ token, secret }).catch(() => null)
  if (!claims) throw new Error('The session of the sandbox could not be opened with its secret')
  const epoch = Number(claims['epoch'])
  const changes: [string, Record<string, unknown>, number][] = [
    ['expired a minute ago', {}, -60],
    ['of nobody', { sub: '00000000-0000-4000-8000-000000000000' }, 3_600],
    ['of no id', { sub: "' or 1=1 --" }, 3_600],
    ['of a number', { sub: 12 }, 3_600],
    ['without a person', { sub: undefined }, 3_600],
    ['of a later generation', { epoch: epoch + 1 }, 3_600],
    ['of an earlier generation', { epoch: epoch - 1 }, 3_600],
    ['of a generation that is a text', { epoch: String(epoch) }, 3_600],
    ['without a generation', { epoch: undefined }, 3_600],
  ]
  return Promise.all(
    changes.map(async ([what, changed, maxAge]) => ({
      what,
      cookie: `${name}=${await encode({ token: { ...claims, ...changed } as typeof claims, secret, maxAge })}`,
    })),
  )
}

/** Tokens for another hour. */
export async function renewTokens(arsenal: Arsenal): Promise<Arsenal> {
  const [program, other] = [await tokensOf(arsenal.baseUrl, arsenal.program), await tokensOf(arsenal.baseUrl, arsenal.other)]
  return { ...arsenal, program: { ...arsenal.program, ...program }, other: { ...arsenal.other, ...other } }
}

async function equip(baseUrl: string, pool: Pool, application: SandboxApplication): Promise<Program> {
  const { rows } = await pool.query<{ transaction_id: string; slug: string }>(
    `select t.transaction_id, a.slug from transactions t join applications a using (application_id)
       where a.api_id = $1 and t.status = 'SUCCESS' order by t.sequence limit 20`,
    [application.apiId],
  )
  const transactionIds = rows.map((row) => row.transaction_id)
  const slug = rows[0]?.slug ?? ''
  const tokens = await tokensOf(baseUrl, application)
  const headers = { apiKey: application.apiKey, apiId: application.apiId, authorization: `Bearer ${tokens.accessToken}` }
  const holdings = await gatherHoldings(pool, { ...application, slug }, (name) => makeProgramBatch(baseUrl, headers, name))
  return { ...application, slug, transactionIds, holdings, ...tokens }
}

/** A batch of one deposit by a program, when its deposit has ended. */
async function makeProgramBatch(baseUrl: string, credentials: Record<string, string>, name: string): Promise<string> {
  const deposit = {
    transferMethod: 'MOMOCM',
    customerName: name,
    externalId: randomUUID(),
    phoneNumber: '237677209341',
    amount: 100,
    countryName: 'CAMEROON',
  }
  const made = await fetch(`${baseUrl}/api/v2/batches`, {
    method: 'POST',
    headers: { ...credentials, 'content-type': 'application/json', 'idempotency-key': randomUUID() },
    body: JSON.stringify({ name, webhookUrl: 'http://127.0.0.1:9/', deposits: [deposit] }),
  })
  if (made.status !== 200) throw new Error(`A batch was refused: ${made.status} ${await made.text()}`)
  const { batchId } = (await made.json()) as { batchId: string }
  await waitUntil('the deposit of a batch has ended', async () => {
    const answer = await fetch(`${baseUrl}/api/v2/batches/${batchId}`, { headers: credentials })
    const { counts } = (await answer.json()) as { counts: Record<string, number> }
    return counts['QUEUED'] === 0 && counts['PENDING'] === 0
  })
  return batchId
}

/** Gets both tokens with user name and password. */
export async function tokensOf(
  baseUrl: string,
  { username, password }: { username: string; password: string },
): Promise<{ accessToken: string; refreshToken: string }> {
  const answer = await fetch(`${baseUrl}/public/access_token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password }),
  })
  if (answer.status !== 200) throw new Error(`${username} could not sign in: ${answer.status} ${await answer.text()}`)
  const tokens = (await answer.json()) as { access_token: string; refresh_token: string }
  return { accessToken: tokens.access_token, refreshToken: tokens.refresh_token }
}
