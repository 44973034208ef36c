import { randomUUID } from 'node:crypto'
import { makeLink } from '#e2e/attack/holdings.ts'
import { startBystander } from './bystander.ts'
import { openCaller } from './caller.ts'
import type { Scenario, ScenarioContext } from './scenario.ts'

const PAYMENTS_MAX = 3
const CUSTOMERS = 40
const FORMS_OF_EACH = 2
/** Customers of one town share an address; these do not. */
const ADDRESSES = 8

type Fields = { attempt: string; operator: string; phoneNumber: string; customerName: string; amount: string }

/**
 * Forty customers pay at once at a link for three payments, each of them by the same form twice. Three payments exist, of three customers, and
 * nobody is led to the page of somebody else.
 */
export const overpaidLinks: Scenario = {
  name: 'overpaid-links',
  async play(context) {
    const { arsenal, service } = context
    const { applicationId, examples } = arsenal.program.holdings
    const { linkId, token } = await service.withDatabase((pool) =>
      makeLink(pool, { applicationId, makerId: examples.personId, canary: 'Three places', paymentsMax: PAYMENTS_MAX }),
    )
    const callers = Array.from({ length: ADDRESSES }, (_, index) =>
      openCaller(arsenal.baseUrl, { from: `127.3.0.${index + 2}`, connections: CUSTOMERS }),
    )
    const bystander = startBystander(context)
    try {
      const replies = await Promise.all(
        Array.from({ length: CUSTOMERS }, (_, index) => {
          const fields = fieldsOf(index)
          const caller = callers[index % ADDRESSES]
          return Promise.all(Array.from({ length: FORMS_OF_EACH }, () => caller?.submit(`/pay/link/${token}`, fields)))
        }),
      )
      const strange = replies.flat().filter((reply) => ![303, 410, 429, 503].includes(reply?.status ?? 0))
      const problems = strange.length > 0 ? [`the forms of a link were answered ${strange.map((reply) => reply?.status).join(', ')}`] : []
      return [...problems, ...(await judgeRows(context, linkId)), ...(await bystander.judge())]
    } finally {
      await Promise.all(callers.map((caller) => caller.close()))
    }
  },
}

function fieldsOf(index: number): Fields {
  return {
    attempt: randomUUID(),
    operator: 'MOMOCM',
    phoneNumber: `2376771${String(index).padStart(2, '0')}341`,
    customerName: `Customer ${index}`,
    amount: '150',
  }
}

/** The payments of a link in the database, regardless of the answers to its forms. */
async function judgeRows({ service }: ScenarioContext, linkId: string): Promise<string[]> {
  const { rows } = await service.withDatabase((pool) =>
    pool.query<{ payments: number; customers: number; counted: number }>(
      `select count(*) filter (where t.status <> 'FAILED')::int as payments, count(distinct t.phone_number)::int as customers,
              max(l.open_count + l.paid_count)::int as counted
         from payment_links l join payment_link_payments p using (application_id, link_id)
         join transactions t using (application_id, transaction_id) where l.link_id = $1`,
      [linkId],
    ),
  )
  const { payments = 0, customers = 0, counted = 0 } = rows[0] ?? {}
  const problems: string[] = []
  if (payments !== PAYMENTS_MAX) problems.push(`a link for ${PAYMENTS_MAX} payments has ${payments}`)
  if (customers !== PAYMENTS_MAX) problems.push(`a link for ${PAYMENTS_MAX} payments was paid by ${customers} customers`)
  if (counted !== payments) problems.push(`a link with ${payments} payments counts ${counted}`)
  return problems
}
