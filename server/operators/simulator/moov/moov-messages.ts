import { createHash } from 'node:crypto'
import { formatMinor, parseMinor } from '#lib/money/money.ts'
import type { BookEntry, TransferOrder } from '../books.ts'
import { digitsOf } from '../http.ts'

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

/** The answer to a push, and to a status enquiry about any transfer. */
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
export function referenceOf({ reference }: Pick<BookEntry, 'reference'>): string {
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

export const MOOV_COUNTRIES = { bj: 'BJMOOV', ml: 'MLMOOV' } as const
export type MoovCountry = keyof typeof MOOV_COUNTRIES

type MoovAccount = { username: string; password: string; key: string; accountMsisdn: string }

/** The merchant that the simulator knows in a country; derived from its secret, so that every start has the same. */
export function moovAccountOf(secret: string, country: MoovCountry): MoovAccount {
  const hex = (name: string) => createHash('sha256').update(`${secret} moov ${country} ${name}`).digest('hex')
  return {
    username: `shop${hex('user').slice(0, 6)}`,
    password: hex('password').slice(0, 16),
    key: hex('key').slice(0, 32),
    accountMsisdn: country === 'bj' ? '2290195000001' : '22366000001',
  }
}

/** The parameters of each operation, and the element that holds them or its answer, where there is one. */
const OPERATIONS = {
  Push: { parameters: 'token msisdn message amount externaldata1 externaldata2 fee', answer: 'return' },
  PushWithPending: { parameters: 'token msisdn message amount externaldata1 externaldata2 fee', answer: 'result' },
  getTransactionStatus: { parameters: 'token', request: 'transid', answer: 'response' },
  transferFlooz: { parameters: 'token', request: 'destination amount referenceid walletid extendeddata', answer: 'return' },
  getBalance: { parameters: 'token', request: 'msisdn', answer: 'return' },
  getMobileAccountStatus: { parameters: 'token', request: 'msisdn', answer: 'return' },
} as const

const FIELDS_OF_ANSWERS =
  'description referenceid status transid message transactionid senderbalanceafter senderbalancebefore senderbonus senderkeycost balance ' +
  'accounttype allowedtransfer city dateofbirth firstname lastname msisdn region secondname street subscriberstatus'

/** The description of the service. Moov's own is not public: this one holds what its clients send and read. */
export function wsdlOf(address: string): string {
  const all = Object.entries(OPERATIONS)
  return `<?xml version="1.0" encoding="UTF-8"?>
<wsdl:definitions name="UssdPush" targetNamespace="http://api.merchant.tlc.com/" xmlns:tns="http://api.merchant.tlc.com/" xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:xs="http://www.w3.org/2001/XMLSchema">
<wsdl:types><xs:schema targetNamespace="http://api.merchant.tlc.com/" elementFormDefault="unqualified">
<xs:complexType name="answer"><xs:sequence>${textsOf(FIELDS_OF_ANSWERS)}</xs:sequence></xs:complexType>
${all.map(([name, operation]) => elementsOf(name, operation)).join('\n')}
</xs:schema></wsdl:types>
${all.map(([name]) => messageOf(name) + messageOf(`${name}Response`)).join('\n')}
<wsdl:portType name="UssdPush">${all.map(([name]) => portOf(name)).join('')}</wsdl:portType>
<wsdl:binding name="UssdPushSoapBinding" type="tns:UssdPush"><soap:binding style="document" transport="http://schemas.xmlsoap.org/soap/http"/>${all.map(([name]) => bindingOf(name)).join('')}</wsdl:binding>
<wsdl:service name="UssdPush"><wsdl:port name="UssdPushPort" binding="tns:UssdPushSoapBinding"><soap:address location="${address}"/></wsdl:port></wsdl:service>
</wsdl:definitions>
`
}

type Operation = { parameters: string; request?: string; answer: string }

function elementsOf(name: string, { parameters, request, answer }: Operation): string {
  const nested = request
    ? `<xs:element name="request"><xs:complexType><xs:sequence>${textsOf(request)}</xs:sequence></xs:complexType></xs:element>`
    : ''
  return `<xs:element name="${name}"><xs:complexType><xs:sequence>${textsOf(parameters)}${nested}</xs:sequence></xs:complexType></xs:element>
<xs:element name="${name}Response"><xs:complexType><xs:sequence><xs:element name="${answer}" type="tns:answer"/></xs:sequence></xs:complexType></xs:element>`
}

function textsOf(names: string): string {
  return names
    .split(' ')
    .map((name) => `<xs:element name="${name}" type="xs:string" minOccurs="0"/>`)
    .join('')
}

function messageOf(element: string): string {
  return `<wsdl:message name="${element}"><wsdl:part name="parameters" element="tns:${element}"/></wsdl:message>`
}

function portOf(name: string): string {
  return `<wsdl:operation name="${name}"><wsdl:input message="tns:${name}"/><wsdl:output message="tns:${name}Response"/></wsdl:operation>`
}

function bindingOf(name: string): string {
  const body = '<soap:body use="literal"/>'
  return `<wsdl:operation name="${name}"><soap:operation soapAction="" style="document"/><wsdl:input>${body}</wsdl:input><wsdl:output>${body}</wsdl:output></wsdl:operation>`
}
