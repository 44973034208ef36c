import type { Queryable } from '#server/database/pool.ts'

type WorkKey = { applicationId: string; transactionId: string }

/** Stores where the customer has to go. The first link stays: the customer may have it already. */
export async function storeCustomerLink(queryable: Queryable, { applicationId, transactionId }: WorkKey, link: string): Promise<void> {
  await queryable.query({
    name: 'store_customer_link',
    text: `update operator_work set customer_link = $3 where application_id = $1 and transaction_id = $2 and customer_link is null`,
    values: [applicationId, transactionId, link],
  })
}

/** The token that names the customer's page. */
export async function findPayToken(queryable: Queryable, { applicationId, transactionId }: WorkKey): Promise<string | undefined> {
  const { rows } = await queryable.query<{ pay_token: string }>({
    name: 'find_pay_token',
    text: 'select pay_token from transactions where application_id = $1 and transaction_id = $2',
    values: [applicationId, transactionId],
  })
  return rows[0]?.pay_token
}
