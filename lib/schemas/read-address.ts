import { z } from 'zod'
import { AMOUNT_MINOR_MAX, parseMinor } from '#lib/money/money.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { isCleanText } from '#lib/text/clean-text.ts'

/** An amount in an address: whole units with up to two decimals, read into hundredths; null if there is none. */
export const addressAmount = z
  .string()
  .regex(/^\d{1,10}(\.\d{1,2})?$/)
  .transform(parseMinor)
  .refine((minor) => minor <= AMOUNT_MINOR_MAX)
  .nullable()
  .default(null)

/** `a,b` in an address: words of a closed set, in the order of that set; the empty list if the address has none. */
export function listOf<const Values extends readonly [string, ...string[]]>(words: Values) {
  return z
    .string()
    .transform((text) => (text === '' ? [] : text.split(',')))
    .pipe(z.array(z.enum(words)))
    .transform((given) => words.filter((word): word is Values[number] => given.some((each) => each === word)))
    .default([])
}

/** `?page=` of an address that counts from 1, as people do. Inside, pages count from 0, like those of the partner API. */
export function pageFromOne(max: number) {
  return z.coerce
    .number()
    .int()
    .min(1)
    .max(max)
    .default(1)
    .transform((page) => page - 1)
}

/** The query of an address, as Next hands it to a page: a parameter that occurs twice is a list. */
type AddressValues = Readonly<Record<string, string | string[] | undefined>>

/** With other days than those asked for, a page would show other sums than those asked for. */
const NEVER_FORGIVEN = new Set(['from', 'to', 'unconfirmedAfter', 'unconfirmedBefore', 'webhookAfter', 'webhookBefore'])

/**
 * Reads the address of a page. What a person typed or an old link has wrong falls back to its default, so that the page opens. Errors:
 * a date that does not exist, and text that no database can hold.
 */
export function readAddress<Schema extends z.ZodObject>(schema: Schema, values: AddressValues): Result<z.output<Schema>, 'invalid'> {
  const given = Object.entries(values).filter(([, value]) => value !== '')
  if (!given.every(([name, value]) => isCleanText(name) && [value].flat().every((text) => isCleanText(text ?? '')))) return err('invalid')
  const parsed = schema.safeParse(Object.fromEntries(given))
  if (parsed.success) return ok(parsed.data)
  const wrong = new Set(parsed.error.issues.map((issue) => String(issue.path[0])))
  if (wrong.values().some((name) => NEVER_FORGIVEN.has(name))) return err('invalid')
  return ok(schema.parse(Object.fromEntries(given.filter(([name]) => !wrong.has(name)))))
}

/**
 * Reads the query of a data address or an export, which our own pages write: nothing is forgiven, because other data than those asked
 * for would look like an answer. Parameters that the schema does not know are ignored; a repeated one is an error.
 */
export function readExactAddress<Schema extends z.ZodType>(schema: Schema, query: URLSearchParams): Result<z.output<Schema>, 'invalid'> {
  const given = [...query].filter(([, value]) => value !== '')
  const values = Object.fromEntries(given)
  if (Object.keys(values).length < given.length || !given.flat().every(isCleanText)) return err('invalid')
  const parsed = schema.safeParse(values)
  return parsed.success ? ok(parsed.data) : err('invalid')
}
