import { SaxesParser } from 'saxes'
import { z } from 'zod'
import { type AnswerTable, codeMeaningsSchema, refused, UNKNOWN } from '../answer-table.ts'
import { COMMON_SETTINGS, secretText } from '../settings/protocol.ts'

export const orangeBfSettingsSchema = z.strictObject({
  ...COMMON_SETTINGS,
  /** Appended to the address. */
  path: z
    .string()
    .regex(/^\/[\w/-]*$/, 'must begin with /')
    .default('/payment'),
  merchantMsisdn: z.string().regex(/^\d{8}$/, 'must have 8 digits'),
  apiUsername: secretText,
  apiPassword: secretText,
  /** Meanings of the codes that Orange has told us; it publishes few for this country. */
  codeMeanings: codeMeaningsSchema.default({}),
})
export type OrangeBfSettings = z.infer<typeof orangeBfSettingsSchema>

/**
 * The codes of `status` that are known. `990422` and `00066` both mean a wrong number or one without an account. Every other code is unknown,
 * because Orange publishes no list that rules out that one of them follows a debit.
 */
export const ORANGE_BF_ANSWERS: AnswerTable = { '990422': refused('invalidNumber'), '00066': refused('invalidNumber'), '00068': UNKNOWN }

/** The code was used before, perhaps by an earlier submission of the same payment. */
export const USED_BEFORE = '990418'

/** Codes that the customer can correct with another code: wrong, made for another amount, or used before. */
export const WRONG_CODES: ReadonlySet<string> = new Set(['OTPINV', '08', USED_BEFORE])

const replySchema = z.object({ status: z.string().min(1), message: z.string().optional(), transID: z.string().optional() })
type Reply = z.infer<typeof replySchema>

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** Writes a COMMAND with these children, in their order. */
export function writeCommand(children: readonly (readonly [name: string, text: string])[]): string {
  const written = children.map(([name, text]) => `<${name}>${text.replaceAll(/[&<>]/g, (sign) => ENTITIES[sign] ?? '')}</${name}>`)
  return `<?xml version="1.0" encoding="UTF-8"?><COMMAND>${written.join('')}</COMMAND>`
}

/**
 * Reads a reply, which has no root element. Undefined if it is not one. A document type is refused before anything in it is read, so no
 * entity is ever declared.
 */
export function readReply(body: string): Reply | undefined {
  const found = new Map<string, string>()
  const open: string[] = []
  let isBroken = false
  const parser = new SaxesParser({ xmlns: false })
  const refuse = () => {
    isBroken = true
  }
  parser.on('error', refuse)
  parser.on('doctype', refuse)
  parser.on('opentag', ({ name }) => void open.push(name))
  parser.on('closetag', () => void open.pop())
  const add = (text: string) => {
    const name = open[1]
    if (open.length === 2 && name !== undefined) found.set(name, (found.get(name) ?? '') + text)
  }
  parser.on('text', add)
  parser.on('cdata', add)
  parser.write(`<reply>${body.replace(/^\s*<\?xml[^>]*\?>/, '')}</reply>`)
  if (isBroken) return undefined
  parser.close()
  const trimmed = Object.fromEntries([...found].map(([name, text]) => [name, text.trim()]))
  return isBroken ? undefined : replySchema.safeParse(trimmed).data
}
