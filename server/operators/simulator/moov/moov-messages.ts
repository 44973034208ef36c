import { formatMinor, parseMinor } from '#lib/money.ts'
import type { BookEntry, TransferOrder } from '#server/operators/simulator/books.ts'
import { digitsOf } from '#server/operators/simulator/reference-digits.ts'

type Texts = Record<string, string>

/**
 * Moov's code for each result of the simulator's table. Sources give one code to a customer who refuses and to one who does not answer,
 * and differ in which: here each has one of the two.
 */
const CODES: Readonly<Texts> = {
  'Solde insuffisant': '10',
  'Num\u00e9ro invalide': '3',
  'Transaction annul\u00e9e par le client': '91',
  'Timeout op\u00e9rateur': '92',
  'Compte non inscrit': '555',
}

const DESCRIPTIONS: Readonly<Texts> = {
  0: 'SUCCESS',
  3: 'Destination number is not valid',
  10: 'Balance insufficient',
  91: 'Transaction cancelled',
  92: 'Push timeout',
  94: 'Transaction does not exist',
  98: 'Internal error',
  100: 'Pending',
  555: 'Destination not registered',
}

/** The prefixes are the literal ones of Moov: clients look for them. */
export function envelopeOf(operation: string, element: string, fields: Texts): string {
  const answer = `<ns2:${operation}Response xmlns:ns2="http://api.merchant.tlc.com/"><${element}>${writeTexts(fields)}</${element}></ns2:${operation}Response>`
  return inEnvelope(answer)
}

export function faultOf(code: string, text: string): string {
  return inEnvelope(`<soap:Fault><faultcode>${code}</faultcode><faultstring>${text}</faultstring></soap:Fault>`)
}

/** The order of a push or a transfer; undefined if something is missing. */
export function readOrder(
  operation: 'Push' | 'PushWithPending' | 'transferFlooz',
  given: Texts,
  currency: string,
): TransferOrder | undefined {
  const isPush = operation !== 'transferFlooz'
  const { amount = '', msisdn = '', destination = '', externaldata1 = '', referenceid = '', message = '', walletid = '' } = given
  const reference = isPush ? externaldata1 : referenceid
  if (reference === '' || !/^(?=.*[1-9])\d{1,12}(\.\d{1,2})?$/.test(amount) || (isPush ? message === '' : walletid === '')) return undefined
  const direction = isPush ? 'COLLECT' : 'DEPOSIT'
  return { reference, direction, amount, currency, phoneNumber: isPush ? msisdn : destination, customerName: '', context: reference }
}

/** The answer to a push, and to a status query about any transfer. */
export function statusOf(entry: BookEntry): Texts {
  const status = codeOf(entry)
  return { description: describe(status), referenceid: referenceOf(entry), status, transid: entry.reference }
}

/** The answer to a transfer. */
export function transferOf(entry: BookEntry, balanceMinor: bigint): Texts {
  const movedMinor = entry.status === 'SUCCESS' ? parseMinor(entry.amount) : 0n
  const status = codeOf(entry)
  const message = describe(status)
  return {
    message,
    referenceid: entry.reference,
    senderbalanceafter: formatMinor(balanceMinor),
    senderbalancebefore: formatMinor(balanceMinor + movedMinor),
    senderbonus: '0',
    senderkeycost: '0',
    status,
    ...(status !== '10' && { transactionid: referenceOf(entry) }),
  }
}

export function describe(status: string): string {
  return DESCRIPTIONS[status] ?? 'Error'
}

function codeOf(entry: BookEntry): string {
  if (entry.status === 'PENDING') return '100'
  return entry.status === 'SUCCESS' ? '0' : (CODES[entry.message ?? ''] ?? '98')
}

/** Moov's own reference. */
function referenceOf({ reference }: BookEntry): string {
  return digitsOf(reference, 15)
}

function writeTexts(fields: Texts): string {
  return Object.entries(fields)
    .map(([name, text]) => `<${name}>${text.replaceAll(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`)}</${name}>`)
    .join('')
}

function inEnvelope(body: string): string {
  return `<?xml version='1.0' encoding='UTF-8'?><soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>${body}</soap:Body></soap:Envelope>`
}
