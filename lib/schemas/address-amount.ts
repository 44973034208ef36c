import { z } from 'zod'
import { AMOUNT_MINOR_MAX, parseMinor } from '#lib/money.ts'

/** An amount in an address: whole units with up to two decimals, read into hundredths; null if there is none. */
export const addressAmount = z
  .string()
  .regex(/^\d{1,10}(\.\d{1,2})?$/)
  .transform(parseMinor)
  .refine((minor) => minor <= AMOUNT_MINOR_MAX)
  .nullable()
  .default(null)
