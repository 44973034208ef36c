import type { Currency } from '#lib/money/money.ts'
import { COUNTRIES, type CountryName, type OperatorCode } from '#lib/operators/operators.ts'
import type { LinkObstacle } from '#lib/payments/payment-links.ts'
import type { NewPaymentLink } from '#lib/schemas/payment-link.ts'
import type { Queryable, TrxClient } from '#server/database/pool.ts'

/** The terms of a link, amounts in hundredths, and what its page shows of the application. */
export type CustomerLink = {
  applicationId: string
  linkId: string
  createdBy: string
  purpose: string
  country: CountryName
  currency: Currency
  operators: OperatorCode[]
  amountMinor: bigint | null
  minimumMinor: bigint | null
  maximumMinor: bigint | null
  paymentsMax: number | null
  obstacle: LinkObstacle | null
  applicationName: string
  logoDigest: string | null
  support: string | null
  /** Of a link for one payment: the token of the collect that is open, else of the one that succeeded, and when. */
  payToken: string | null
  paidAt: Date | null
  operatorReference: string | null
}

const TOKEN = /^[A-Za-z0-9_-]{22}$/

/** Returns the link that a token names, as its customers see it. */
export async function findCustomerLink(queryable: Queryable, token: string): Promise<CustomerLink | undefined> {
  if (!TOKEN.test(token)) return undefined
  const { rows } = await queryable.query<CustomerLink>({
    name: 'find_customer_link',
    text: `select l.application_id as "applicationId", l.link_id as "linkId", l.created_by as "createdBy", l.purpose, l.country, l.currency, l.operators,
             l.amount_minor as "amountMinor", l.minimum_minor as "minimumMinor", l.maximum_minor as "maximumMinor", l.payments_max as "paymentsMax",
             payment_link_obstacle(l.application_id, l.link_id, null, null) as obstacle, a.name as "applicationName",
             c.logo_digest as "logoDigest", c.support, p.pay_token as "payToken", p.final_at as "paidAt", p.operator_reference as "operatorReference"
           from payment_links l
           join applications a on a.application_id = l.application_id
           left join customer_pages c on c.application_id = l.application_id
           left join lateral (
             select t.pay_token, t.final_at, t.operator_reference from payment_link_payments m
               join transactions t on t.application_id = m.application_id and t.transaction_id = m.transaction_id
               where m.application_id = l.application_id and m.link_id = l.link_id and t.status <> 'FAILED'
               order by t.status = 'SUCCESS', m.transaction_id desc limit 1) p on l.payments_max = 1
           where l.token = $1`,
    values: [token],
  })
  return rows[0]
}

/** The state that a form meets: the collect that an equal form has started, and why the link accepts no payment of the number. */
type LinkAttempt = { existingPayToken: string | null; obstacle: LinkObstacle | null }

type LinkKey = Pick<CustomerLink, 'applicationId' | 'linkId'>

/** Reads both in one snapshot, so that a collect that starts meanwhile is in both or in neither. */
export async function readLinkAttempt(
  queryable: Queryable,
  { applicationId, linkId }: LinkKey,
  { externalId, phoneNumber }: { externalId: string; phoneNumber: string },
): Promise<LinkAttempt> {
  const { rows } = await queryable.query<LinkAttempt>({
    name: 'read_link_attempt',
    text: `select (select t.pay_token from transactions t where t.application_id = $1 and t.external_id = $3) as "existingPayToken",
             payment_link_obstacle($1, $2, $4, null) as obstacle`,
    values: [applicationId, linkId, externalId, phoneNumber],
  })
  const [row] = rows
  if (!row) throw new Error('A statement without tables returned no row')
  return row
}

/** The newest open collect of a link: of the number, or any where the link is for one payment. */
export async function findOpenPayToken(
  queryable: Queryable,
  { applicationId, linkId }: LinkKey,
  phoneNumber: string,
): Promise<string | undefined> {
  const { rows } = await queryable.query<{ payToken: string }>({
    name: 'find_open_link_payment',
    text: `select t.pay_token as "payToken" from payment_link_payments m
             join payment_links l on l.application_id = m.application_id and l.link_id = m.link_id
             join transactions t on t.application_id = m.application_id and t.transaction_id = m.transaction_id
             where m.application_id = $1 and m.link_id = $2 and t.status in ('PENDING', 'PENDING_APPROVAL')
               and (l.payments_max = 1 or t.phone_number = $3)
             order by m.transaction_id desc limit 1`,
    values: [applicationId, linkId, phoneNumber],
  })
  return rows[0]?.payToken
}

type NewRow = NewPaymentLink & { applicationId: string; token: string; createdBy: string }

/** Stores a link, or finds it stored; its end is that of its last day in the business time zone. Undefined: that day has passed. */
export async function insertLink(trx: TrxClient, link: NewRow, now: Date): Promise<'created' | 'existing' | undefined> {
  const { rows: known } = await trx.query('select 1 from payment_links where application_id = $1 and link_id = $2', [
    link.applicationId,
    link.linkId,
  ])
  if (known.length > 0) return 'existing'
  const { rowCount } = await trx.query(
    `insert into payment_links (application_id, link_id, token, purpose, country, currency, operators, amount_minor, minimum_minor, maximum_minor,
         payments_max, last_day, ends_at, created_by)
       select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12::date, e.ends_at, $13
         from applications a
         cross join lateral (select timezone(a.time_zone, ($12::date + 1)::timestamp) as ends_at) e
         where a.application_id = $1 and (e.ends_at is null or e.ends_at > $14)`,
    [
      link.applicationId,
      link.linkId,
      link.token,
      link.purpose,
      link.country,
      COUNTRIES[link.country].currency,
      link.operators,
      link.amount,
      link.minimum,
      link.maximum,
      link.paymentsMax,
      link.lastDay,
      link.createdBy,
      now,
    ],
  )
  return rowCount === 1 ? 'created' : undefined
}

/** Closes a link; one that is closed stays as it is. */
export async function closeLink(
  trx: TrxClient,
  { applicationId, linkId }: LinkKey,
  personId: string,
): Promise<'closed' | 'was_closed' | 'not_found'> {
  const { rows } = await trx.query<{ wasClosed: boolean }>(
    `update payment_links set closed_by = coalesce(closed_by, $3), closed_at = coalesce(closed_at, clock_timestamp())
       where application_id = $1 and link_id = $2 returning old.closed_at is not null as "wasClosed"`,
    [applicationId, linkId, personId],
  )
  const [row] = rows
  if (!row) return 'not_found'
  return row.wasClosed ? 'was_closed' : 'closed'
}

/** Whether makers of the application may create links. */
export async function mayHaveLinks(queryable: Queryable, applicationId: string): Promise<boolean> {
  const { rowCount } = await queryable.query('select 1 from applications where application_id = $1 and allows_payment_links', [
    applicationId,
  ])
  return rowCount === 1
}
