import type { Arsenal } from '#e2e/attack/arsenal.ts'
import type { AttackCase, CaseMaker, Family, StatusRule } from '#e2e/attack/case.ts'
import { type InsideRoute, insideRoutes, mayOpen } from '#e2e/attack/inside-routes.ts'
import { credentials, type Header, JSON_CONTENT, oneRequest } from '#e2e/attack/wire/request.ts'
import { INPUTS } from '#e2e/roles/action-inputs.ts'
import type { Random } from '#lib/seeded-random.ts'

/** One application that attacks another one, with everything that the attacker may legally hold. */
type Sides = { own: Arsenal['program']; victim: Arsenal['program']; people: Arsenal['visitors'] }

function sidesOf(random: Random, { program, other, insiders }: Arsenal): Sides {
  return random.chance(0.5)
    ? { own: program, victim: other, people: insiders.program }
    : { own: other, victim: program, people: insiders.other }
}

/** Complains about every text of the victim that was not in the request itself. */
function tellsNothing({ victim }: Sides, sent: string, more: readonly string[] = []): NonNullable<AttackCase['expect']['inspect']> {
  const secrets = [...victim.holdings.secrets, ...more].filter((secret) => secret !== '' && !sent.includes(secret))
  return ([answer]) => {
    const told = secrets.find((secret) => answer?.body.includes(secret) || JSON.stringify(answer?.headers ?? {}).includes(secret))
    return told === undefined ? undefined : `the answer contains "${told}", which belongs to another application`
  }
}

function visit(
  what: string,
  sides: Sides,
  cookie: string,
  route: InsideRoute,
  target: string,
  statuses: readonly StatusRule[],
  more: readonly string[] = [],
) {
  const { method, body, type } = route
  const headers: Header[] = [['Cookie', cookie], ['Accept', 'text/html'], ...(type === undefined ? [] : [['Content-Type', type] as const])]
  return oneRequest(`${what}: ${method} ${target}`, { method, target, headers, ...(body !== undefined && { body }) }, statuses, {
    inspect: tellsNothing(sides, target, more),
    // An upload may be refused before its body is read.
    overload: 'files are read one after the other',
  })
}

/** Somebody who may open this address in their own application: a refusal for a missing right would prove nothing. */
function visitorFor(random: Random, { people }: Sides, route: InsideRoute): string {
  const able = people.filter((one) => mayOpen(one, route))
  return random.pick(able.length > 0 ? able : people).cookie
}

const elsewhere: CaseMaker = {
  name: 'a session at every address of another application',
  make(random, arsenal) {
    const sides = sidesOf(random, arsenal)
    const route = random.pick(insideRoutes())
    const target = route.fill(sides.victim.holdings.examples, sides.victim.slug)
    const cookie = visitorFor(random, sides, route)
    return visit('their address', sides, cookie, route, target, route.isForm ? [303, 403, 404] : [403, 404], [sides.victim.name])
  },
}

const foreignIds: CaseMaker = {
  name: "another application's ids at one's own addresses",
  make(random, arsenal) {
    const sides = sidesOf(random, arsenal)
    const isInstallation = sides.own === arsenal.program
    const routes = insideRoutes().filter((route) => route.hasId && !(isInstallation && route.isOfInstallation))
    const route = random.pick(routes)
    const target = route.fill(sides.victim.holdings.examples, sides.own.slug)
    return visit('their id', sides, visitorFor(random, sides, route), route, target, [403, 404])
  },
}

/** The control: without it a refusal would say nothing about an address that is wrong. */
const ownIds: CaseMaker = {
  name: 'its own ids at the same addresses',
  make(random, arsenal) {
    const sides = sidesOf(random, arsenal)
    const routes = insideRoutes().filter((route) => route.isReadable)
    const route = random.pick(routes)
    const target = route.fill(sides.own.holdings.examples, sides.own.slug)
    const isAble = sides.people.some((one) => mayOpen(one, route))
    return visit('its own id', sides, visitorFor(random, sides, route), route, target, isAble ? [200] : [403])
  },
}

const filters: CaseMaker = {
  name: "another application's ids as filters",
  make(random, arsenal) {
    const sides = sidesOf(random, arsenal)
    const { examples, secrets } = sides.victim.holdings
    const data = random.pick([
      `transactions?batch=${examples.batchId}`,
      `transactions?batch=${examples.waitingBatchId}`,
      `transactions?link=${examples.linkId}`,
      `transactions?refund=${examples.transactionId}`,
      `transactions?phone=${secrets[1]}`,
      `transactions?name=${encodeURIComponent(secrets[0] ?? '')}`,
      `approvals?maker=${examples.personId}`,
      `payment-preview?type=DEPOSIT&operator=MOMOCM&phoneNumber=${secrets[1]}&amount=5000&from=${examples.transactionId}`,
      `suggestions?q=${secrets[1]}`,
      'suggestions?q=Canary',
      'beneficiaries?q=Canary&type=DEPOSIT',
      `exports?sha256=${'0'.repeat(64)}`,
    ])
    const page = random.pick([
      `new?from=${examples.transactionId}`,
      `new?again=${examples.transactionId}`,
      `new?draft=${examples.transactionId}`,
      `transactions?view=${examples.viewId}`,
      `transactions?batch=${examples.batchId}`,
      'search?q=Canary',
      `search?q=${examples.transactionId}`,
      'links?q=Canary',
      'batches?q=Canary',
      'beneficiaries?q=Canary',
      `audit?person=${examples.personId}`,
    ])
    const target = random.chance(0.5) ? `/api/back-office/${sides.own.slug}/${data}` : `/${sides.own.slug}/${page}`
    const { cookie } = random.pick(sides.people)
    return oneRequest(`their id as a filter: ${target}`, { target, headers: [['Cookie', cookie]] }, ['2xx', '3xx', '4xx'], {
      inspect: tellsNothing(sides, decodeURIComponent(target)),
    })
  },
}

/** As in INPUTS, which ids are of what. */
const FIELDS: Readonly<Record<string, string>> = {
  transactionId: 'waitingId',
  batchId: 'batchId',
  linkId: 'linkId',
  viewId: 'viewId',
  changeId: 'importId',
  personId: 'personId',
  apiKeyId: 'apiKeyId',
  fileId: 'attachmentId',
}

const actions: CaseMaker = {
  name: "server actions about another application's rows",
  make(random, arsenal) {
    const sides = sidesOf(random, arsenal)
    const examples: Readonly<Record<string, string>> = sides.victim.holdings.examples
    const usable = arsenal.actions.flatMap(({ name, id, page }) => {
      const input = INPUTS[name.split(' ')[1] ?? '']
      const field = Object.keys(FIELDS).find((each) => input?.[each] === '')
      const isItems = name.endsWith(' decideTransactions') || name.endsWith(' synchroniseSeveral')
      return input && (field || isItems) ? [{ name, id, page, input }] : []
    })
    const { name, id, page, input } = random.pick(usable)
    const filled = Object.fromEntries(
      Object.entries(input).map(([key, value]) => [
        key,
        value === '' ? (examples[FIELDS[key] ?? ''] ?? sides.own.holdings.applicationId) : value,
      ]),
    )
    if (name.endsWith(' decideTransactions')) filled['items'] = [{ transactionId: examples['waitingId'], contentHash: '0'.repeat(64) }]
    if (name.endsWith(' synchroniseSeveral')) filled['transactionIds'] = [examples['waitingId']]
    const slug = random.pick([sides.own.slug, sides.own.slug, sides.victim.slug])
    const host = `${arsenal.host}:${arsenal.port}`
    const target = page.replaceAll('[application]', slug).replaceAll(/\[\w+\]/g, 'MOMOCM')
    const headers: Header[] = [
      ['Cookie', random.pick(sides.people).cookie],
      ['Next-Action', id],
      ['Content-Type', 'text/plain;charset=UTF-8'],
      ['Accept', 'text/x-component'],
      ['Origin', `http://${host}`],
    ]
    const body = JSON.stringify([slug, filled])
    const isQuiet = tellsNothing(sides, body)
    return oneRequest(
      `${name.split(' ')[1]} at ${slug} with their id`,
      { method: 'POST', target, host, headers, body },
      ['2xx', '3xx', '4xx'],
      {
        inspect: (answers) =>
          isQuiet(answers) ?? (hasAccepted(answers[0]?.body ?? '') ? 'the action took the id of another application' : undefined),
      },
    )
  },
}

/** Whether an action did what it was asked. One about several rows says of each that there is none. */
function hasAccepted(body: string): boolean {
  return /"ok":true/.test(body) && !/"[0-9a-f-]{36}":"not_found"|"reason":"not_found","now":null/.test(body)
}

const programs: CaseMaker = {
  name: "a program with another application's ids",
  make(random, arsenal) {
    const sides = sidesOf(random, arsenal)
    const { examples, collectIds, depositId } = sides.victim.holdings
    const encoded = (text: string) => Buffer.from(text).toString('base64url')
    const [method, target, statuses] = random.pick<readonly ['GET' | 'POST', string, readonly StatusRule[]]>([
      ['POST', `/api/v2/transactions/${examples.transactionId}/cancel`, [404]],
      ['POST', `/api/v2/transactions/${depositId}/cancel`, [404]],
      ['GET', `/api/v2/transactions/${collectIds[0]}/refunds`, [404]],
      ['POST', `/api/v2/transactions/${random.pick(collectIds)}/refunds`, [404]],
      ['GET', `/api/v2/batches/${examples.programBatchId}`, [404]],
      ['GET', `/api/v2/batches/${examples.waitingBatchId}`, [404]],
      ['POST', `/api/v2/batches/${examples.programBatchId}/cancel`, [404]],
      ['POST', `/api/v1/transaction/transaction-status?id=${examples.transactionId}`, [404]],
      ['POST', `/api/v1/transaction/chekTransactionStatus?transactionId=${depositId}`, [404, 429]],
      ['GET', `/api/v2/batches?limit=1000&cursor=${encoded(`b1.${examples.programBatchId}`)}`, [200]],
      ['GET', `/api/v2/transactions?limit=1000&cursor=${encoded('v1.999999999999')}`, [200]],
      ['GET', '/api/v2/webhook-events?after=w1.0.0', [200, 429]],
      ['GET', '/api/v2/settlement-reports?from=2026-11-01&to=2026-11-30', [200]],
    ])
    const externalId = random.uuid()
    const body = target.endsWith('/refunds') ? JSON.stringify({ externalId, amount: 1, webhookUrl: arsenal.webhookUrl }) : ''
    const headers: Header[] = [...credentials({ ...arsenal, program: sides.own }), ...(body === '' ? [] : [JSON_CONTENT])]
    return oneRequest(`their id: ${method} ${target}`, { method, target, headers, ...(method === 'POST' && { body }) }, statuses, {
      inspect: tellsNothing(sides, target, sides.victim.transactionIds),
      ...(body !== '' && { starts: [externalId] }),
    })
  },
}

export const inside: Family = {
  name: 'inside',
  weight: 12,
  makers: [elsewhere, elsewhere, foreignIds, foreignIds, ownIds, filters, actions, actions, programs, programs],
}
