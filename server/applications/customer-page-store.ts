import { type CustomerPageTerms, type Logo, logoAddress, NO_CUSTOMER_PAGE, typeOf } from '#lib/partner/customer-page.ts'
import type { Queryable } from '#server/database/pool.ts'

type PageRow = Omit<CustomerPageTerms, 'logo'> & { logo: Buffer | null }

/** Returns what the page of customers shows of an application. */
export async function readCustomerPage(queryable: Queryable, applicationId: string): Promise<CustomerPageTerms> {
  const { rows } = await queryable.query<PageRow>(
    `select logo, support, return_url as "returnUrl", offers_retry as "offersRetry" from customer_pages where application_id = $1`,
    [applicationId],
  )
  const [row] = rows
  if (!row) return NO_CUSTOMER_PAGE
  const logo = row.logo === null ? undefined : toLogo(row.logo)
  return { ...row, logo: logo ? logoAddress(logo) : null }
}

/** Returns a picture by the digest that its address names. */
export async function findLogo(queryable: Queryable, digest: string): Promise<Logo | undefined> {
  const { rows } = await queryable.query<{ logo: Buffer }>('select logo from customer_pages where logo_digest = $1 limit 1', [digest])
  return rows[0] && toLogo(rows[0].logo)
}

function toLogo(stored: Buffer): Logo | undefined {
  const bytes = new Uint8Array(stored)
  const type = typeOf(bytes)
  return type && { type, bytes }
}

export async function upsertCustomerPage(
  trx: Queryable,
  applicationId: string,
  { logo, support, returnUrl, offersRetry }: Omit<CustomerPageTerms, 'logo'> & { logo: Logo | null },
): Promise<void> {
  await trx.query(
    `insert into customer_pages (application_id, logo, support, return_url, offers_retry) values ($1, $2, $3, $4, $5)
     on conflict (application_id) do update set logo = excluded.logo, support = excluded.support, return_url = excluded.return_url,
       offers_retry = excluded.offers_retry`,
    [applicationId, logo && Buffer.from(logo.bytes), support, returnUrl, offersRetry],
  )
}
