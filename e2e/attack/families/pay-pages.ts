import type { Arsenal } from '#e2e/attack/arsenal.ts'
import type { AttackCase, CaseMaker, Family, StatusRule } from '#e2e/attack/case.ts'
import { MARK } from '#e2e/attack/oracle/marked-rows.ts'
import { brokenUtf8, draw, filterValues, names, noIds, noNumbers } from '#e2e/attack/values.ts'
import { type Header, oneRequest } from '#e2e/attack/wire/request.ts'
import type { Random } from '#lib/seeded-random.ts'

const FORM: Header = ['Content-Type', 'application/x-www-form-urlencoded']

/** A stranger finds nothing behind /pay with a token that was guessed. */
function guess(random: Random, real: string): string {
  const letters = random.uuid().replaceAll('-', '').slice(0, 22)
  return random.pick([
    letters,
    random.uuid(),
    `${real}x`,
    real.slice(1),
    real.toUpperCase() === real ? real.toLowerCase() : real.toUpperCase(),
    `${real}%00`,
    `${real}%20`,
    `${real}/`,
    `./${real}`,
    `${real}%27%20or%20%271%27=%271`,
    'a'.repeat(5_000),
    '%FF',
    '%',
    encodeURIComponent(draw(random, noIds).toWellFormed()),
  ])
}

const tokens: CaseMaker = {
  name: 'tokens of customers that are guessed',
  make(random, arsenal) {
    const { linkToken, payToken } = arsenal.program.holdings
    const [folder, real] = random.pick([
      ['', payToken],
      ['link/', linkToken],
    ] as const)
    const target = `/pay/${folder}${guess(random, real)}${random.pick(['', '', '/state', '/content'])}`
    return oneRequest(`GET ${target.slice(0, 80)}`, { target }, [404, 400], { from: address(random) })
  },
}

const logos: CaseMaker = {
  name: 'pictures of merchants that are none',
  make(random) {
    const name = random.pick(['0'.repeat(64), 'x', '..%2f..%2fetc%2fpasswd', '../live.js', `${'0'.repeat(64)}.png`, '0'.repeat(63), ''])
    return oneRequest(`/pay/logo/${name}`, { target: `/pay/logo/${name}` }, [404, 400])
  },
}

const queries: CaseMaker = {
  name: 'addresses of customers with filters',
  make(random, arsenal) {
    const { linkToken, payToken } = arsenal.program.holdings
    const path = random.pick([`link/${linkToken}`, payToken, `${payToken}/content`])
    const target = `/pay/${path}?${random.pick(['lang', 'code', 'attempt', 'x'])}=${draw(random, filterValues)}`
    return oneRequest(`GET ${target.slice(0, 80)}`, { target }, [200, 404, 410, 400])
  },
}

/** Customers come from many addresses, each of which may start some payments. */
function address(random: Random): string {
  return `127.1.${random.between(1, 250)}.${random.between(2, 250)}`
}

type Fields = Record<'attempt' | 'operator' | 'phoneNumber' | 'customerName' | 'amount', string>

function fieldsOf(random: Random, changes: Partial<Fields> = {}): Fields {
  return {
    attempt: random.uuid(),
    operator: 'MOMOCM',
    phoneNumber: `23767${random.between(1_000, 9_999)}${random.between(100, 899)}`,
    customerName: `${MARK}${random.uuid()}`,
    amount: String(random.between(100, 500)),
    ...changes,
  }
}

function submit(
  what: string,
  random: Random,
  arsenal: Arsenal,
  body: string | Uint8Array,
  statuses: readonly StatusRule[],
  mark?: string,
): AttackCase {
  const target = `/pay/link/${arsenal.program.holdings.linkToken}`
  return oneRequest(`a link with ${what}`, { method: 'POST', target, headers: [FORM], body }, [...statuses, 429], {
    from: address(random),
    overload: 'the intake may be full for a moment',
    ...(mark !== undefined && { makes: [{ table: 'link payments', mark }] }),
  })
}

const paid: CaseMaker = {
  name: 'a payment at a link, as it should be',
  make(random, arsenal) {
    const fields = fieldsOf(random)
    return submit('a good form', random, arsenal, new URLSearchParams(fields).toString(), [303], fields.customerName)
  },
}

const wrongFields: CaseMaker = {
  name: 'a form of a link with something wrong in it',
  make(random, arsenal) {
    const mark = `${MARK}${random.uuid()}`
    const name = random.pick(['attempt', 'operator', 'phoneNumber', 'amount'] as const)
    const value = random
      .pick<() => string>([
        () => draw(random, noNumbers),
        () => draw(random, noIds),
        () => draw(random, names),
        () => random.pick(['', '0', '-5', '1e3', '5000001', '99', '0.001', 'OMCM', 'MOMOCM ', '__proto__', '237', '2'.repeat(41)]),
      ])()
      .toWellFormed()
    // Spaces, and separators of thousands, are how people write numbers: what is meant may be right.
    const mayBeRight = name === 'amount' || name === 'phoneNumber'
    const body = new URLSearchParams(fieldsOf(random, { customerName: mark, [name]: value })).toString()
    return submit(`${name} ${JSON.stringify(value)}`, random, arsenal, body, mayBeRight ? [303, 400] : [400], mark)
  },
}

const odd: CaseMaker = {
  name: 'forms of a link that are none',
  make(random, arsenal) {
    const good = new URLSearchParams(fieldsOf(random)).toString()
    const body = random.pick<string | Uint8Array>([
      '',
      '=',
      '&&&',
      '%',
      '{}',
      '__proto__=x&constructor=y',
      good.replace(/attempt=[^&]+/, 'attempt=%00'),
      good.replace(/customerName=[^&]+/, 'customerName=%00'),
      good.replace(/customerName=[^&]+/, `customerName=${'n'.repeat(401)}`),
      good.replace(/customerName=[^&]+&/, ''),
      `${good}&attempt=x`,
      draw(random, brokenUtf8),
    ])
    return submit('a form that is none', random, arsenal, body, [400])
  },
}

const longForms: CaseMaker = {
  name: 'forms of customers that are too long',
  make(random, arsenal) {
    const { linkToken, payToken } = arsenal.program.holdings
    const target = random.pick([`/pay/link/${linkToken}`, `/pay/${payToken}/code`])
    const body = `code=1&${'a=1&'.repeat(random.pick([1_100, 20_000]))}`
    return oneRequest(`${body.length} bytes to ${target}`, { method: 'POST', target, headers: [FORM], body }, [413], {
      from: address(random),
    })
  },
}

/** The page of a payment that awaits no code, and of none: a code changes nothing there, and nobody learns which it was. */
const codes: CaseMaker = {
  name: 'codes of customers for what awaits none',
  make(random, arsenal) {
    const token = random.pick([arsenal.program.holdings.payToken, random.uuid(), '%0d%0aSet-Cookie:x=1', '..', 'a'.repeat(2_000)])
    const code = encodeURIComponent(random.pick(['123456', '', draw(random, names), '9'.repeat(500)]).toWellFormed()).slice(0, 900)
    return oneRequest(
      `the code ${code.slice(0, 20)}`,
      { method: 'POST', target: `/pay/${token}/code`, headers: [FORM], body: `code=${code}` },
      [303, 400, 404],
      {
        from: address(random),
        inspect: ([answer]) => (answer?.headers['set-cookie'] === 'x=1' ? 'the token became a header' : undefined),
      },
    )
  },
}

export const payPages: Family = {
  name: 'pay-pages',
  weight: 5,
  makers: [tokens, tokens, logos, queries, paid, wrongFields, odd, longForms, codes],
}
