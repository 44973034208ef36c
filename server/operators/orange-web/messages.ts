import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { StatusEnquiry } from '../connector.ts'
import { identifierSchema } from '../wire-formats.ts'

/** The messages that Orange sends. Ours are written out in create-orange-web-connector.ts. */
export const tokenSchema = z.object({
  access_token: z.string().min(1).max(4_096),
  // A number in the documentation; text in some answers.
  expires_in: z.coerce.number().positive().max(31_536_000),
})

export const pageSchema = z.object({ pay_token: z.string().min(1).max(200), payment_url: z.url() })

/** `code` is read for settings with meanings of codes. As far as is published, Orange sends none. */
export const statusSchema = z.object({ status: z.string(), order_id: z.string(), txnid: identifierSchema, code: identifierSchema })

/** The body of a notification. Its notif_token is not compared: a notification is a hint, and the query that follows decides. */
export const notificationSchema = z.object({ status: z.string(), notif_token: z.string() })

type Ids = Pick<StatusEnquiry, 'reference' | 'applicationId'>

const ID_LENGTH = 25
const ORDER_ID = /^[0-9a-z]{25}-[0-9a-f]{4}$/

/**
 * An order id for a reference: 30 characters that begin with the reference in base 36. Another one for each submission, because Orange
 * takes none twice, and the page of a lost reply stays unknown.
 */
export function newOrderId(reference: string): string {
  const id = BigInt(`0x${reference.replaceAll('-', '')}`)
    .toString(36)
    .padStart(ID_LENGTH, '0')
  return `${id}-${randomBytes(2).toString('hex')}`
}

const UUID = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/

/** The transaction's id and the application's in 43 characters, for addresses whose length an operator may limit. */
export function shortIdsOf({ reference, applicationId }: Ids): string {
  return Buffer.from((reference + applicationId).replaceAll('-', ''), 'hex').toString('base64url')
}

/** Returns the ids in such a text; undefined if it is not one of ours. */
export function idsIn(text: string): Ids | undefined {
  if (!/^[\w-]{43}$/.test(text)) return undefined
  const digits = Buffer.from(text, 'base64url').toString('hex')
  return { reference: digits.slice(0, 32).replace(UUID, '$1-$2-$3-$4-$5'), applicationId: digits.slice(32).replace(UUID, '$1-$2-$3-$4-$5') }
}

export function isOrderId(text: string): boolean {
  return ORDER_ID.test(text)
}
