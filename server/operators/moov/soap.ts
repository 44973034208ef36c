import { createCipheriv } from 'node:crypto'
import type { CallOutcome } from '#server/operators/operator-call.ts'
import { elementAt, escapeXml, fieldsOf, readXmlTree } from '#server/operators/xml/xml-tree.ts'
import type { MoovSettings } from './settings.ts'

const NAMESPACE = 'http://api.merchant.tlc.com/'

/** The operations that we call, each with the element that its answer is in. */
const ANSWERS = {
  PushWithPending: 'result',
  getTransactionStatus: 'response',
  transferFlooz: 'return',
  getBalance: 'return',
  getMobileAccountStatus: 'return',
} as const
export type MoovOperation = keyof typeof ANSWERS

export type Fields = Readonly<Record<string, string | Readonly<Record<string, string>>>>

/** The credentials as every call repeats them: always the same, without a time. */
export function moovToken({ key, username, password }: Pick<MoovSettings, 'key' | 'username' | 'password'>): string {
  const cipher = createCipheriv('aes-256-cbc', key, Buffer.alloc(16))
  return cipher.update(`0:${username}:${password}`, 'utf8', 'base64') + cipher.final('base64')
}

export function writeEnvelope(settings: MoovSettings, operation: MoovOperation, fields: Fields): string {
  const content = writeFields({ token: moovToken(settings), ...fields })
  return `<?xml version="1.0" encoding="utf-8"?><soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" xmlns:api="${escapeXml(settings.namespace ?? NAMESPACE)}"><soapenv:Header/><soapenv:Body><api:${operation}>${content}</api:${operation}></soapenv:Body></soapenv:Envelope>`
}

function writeFields(fields: Fields): string {
  return Object.entries(fields)
    .map(([name, value]) => `<${name}>${typeof value === 'string' ? escapeXml(value) : writeFields(value)}</${name}>`)
    .join('')
}

/** The fields of an answer with HTTP 200; undefined for faults, and for everything that is not an answer to this operation. */
export function readEnvelope(outcome: CallOutcome, operation: MoovOperation): Record<string, string> | undefined {
  if (outcome.kind !== 'answered' || outcome.httpStatus !== 200) return undefined
  const envelope = readXmlTree(outcome.body)
  if (envelope?.name !== 'Envelope') return undefined
  const answer = elementAt(envelope, 'Body', `${operation}Response`, ANSWERS[operation])
  return answer && fieldsOf(answer)
}
