import { z } from 'zod'
import { AMOUNT_MINOR_MAX } from '#lib/money.ts'

/** An amount as it stands in an address: whole units, up to two decimals; null for none and for what is none. In hundredths. */
export const addressAmount = z
  .string()
  .regex(/^\d{1,10}(\.\d{1,2})?$/)
  .transform((text) => {
    const [whole = '0', cents = ''] = text.split('.')
    return BigInt(whole) * 100n + BigInt(cents.padEnd(2, '0'))
  })
  .refine((minor) => minor <= AMOUNT_MINOR_MAX)
  .nullable()
  .default(null)
