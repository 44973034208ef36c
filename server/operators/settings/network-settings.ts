import { createPrivateKey, X509Certificate } from 'node:crypto'
import ipaddr from 'ipaddr.js'
import { z } from 'zod'
import type { OperatorTransport } from '../operator-http-client.ts'

/** A problem with the form of one field, for zod's custom checks. */
const FORMAT = { problem: 'format' }

/**
 * Whether credentials and payments may travel to this address: https, or http to an address that only our own network reaches (loopback and
 * private ranges). A host name over http is refused, because any machine that answers for the name could read them.
 */
export function isSafeAddress(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname } = new URL(text)
  if (protocol === 'https:') return true
  if (protocol !== 'http:') return false
  const host = hostname.replace(/^\[|\]$/g, '')
  if (host === 'localhost') return true
  if (!ipaddr.isValid(host)) return false
  return ['loopback', 'private', 'uniqueLocal'].includes(ipaddr.process(host).range())
}

/** An absolute address, https unless it is private, without the slash at its end. */
export const safeAddress = z
  .url({ protocol: /^https?$/, error: 'must be an absolute https address', abort: true })
  .max(2_048)
  .refine(isSafeAddress, { error: 'must be https; http is only for private addresses such as http://10.0.0.5', params: FORMAT })
  .transform((text) => text.replace(/\/+$/, ''))

const PEM_LENGTH_MAX = 20_000

/** PEM text whose line ends may be lost, as in a form of one line. Undefined if it holds anything else. */
function readPem(text: string, label: string): string | undefined {
  const blocks = [...text.matchAll(/-----BEGIN ([A-Z ]+)-----([A-Za-z0-9+/=\s]+)-----END \1-----/g)]
  const isComplete = blocks.length > 0 && blocks.every(([, kind = '']) => kind.endsWith(label))
  if (!isComplete || blocks.reduce((rest, [block]) => rest.replace(block, ''), text).trim() !== '') return undefined
  return blocks.map(([, kind, body = '']) => `-----BEGIN ${kind}-----\n${wrap(body)}\n-----END ${kind}-----\n`).join('')
}

function wrap(base64: string): string {
  return base64.replaceAll(/\s/g, '').replaceAll(/(.{64})(?=.)/g, '$1\n')
}

function certificatesIn(text: string): X509Certificate[] | undefined {
  try {
    return readPem(text, 'CERTIFICATE')
      ?.split(/(?<=-----END CERTIFICATE-----\n)/)
      .map((one) => new X509Certificate(one))
  } catch {
    // Not a certificate: reported as the problem of its field.
    return undefined
  }
}

function keyIn(text: string): ReturnType<typeof createPrivateKey> | undefined {
  try {
    const pem = readPem(text, 'PRIVATE KEY')
    return pem === undefined ? undefined : createPrivateKey(pem)
  } catch {
    // Not a key, or one with a passphrase: reported as the problem of its field.
    return undefined
  }
}

const certificates = z
  .string()
  .max(PEM_LENGTH_MAX)
  .refine((text) => certificatesIn(text) !== undefined, {
    error: 'must be one or more certificates in PEM: -----BEGIN CERTIFICATE----- … -----END CERTIFICATE-----',
    params: FORMAT,
  })
  .transform((text) => readPem(text, 'CERTIFICATE') ?? '')

/** How the network is crossed to an operator. The private key is secret. */
export const NETWORK_SETTINGS = {
  /** Our certificate, with those that lead to its root, where the operator demands one. */
  clientCertificate: certificates.optional(),
  clientKey: z
    .string()
    .max(PEM_LENGTH_MAX)
    .refine((text) => keyIn(text) !== undefined, {
      error: 'must be a private key in PEM without a passphrase: -----BEGIN PRIVATE KEY----- … -----END PRIVATE KEY-----',
      params: FORMAT,
    })
    .transform((text) => readPem(text, 'PRIVATE KEY') ?? '')
    .optional(),
  /** The authorities that are trusted for this operator, in place of the public ones. */
  caCertificate: certificates.optional(),
  /** Calls go through this proxy, by CONNECT. */
  httpProxy: safeAddress
    .refine((text) => new URL(text).username === '' && new URL(text).pathname === '/', {
      error: 'must be the address of a proxy, without user name and path',
      params: FORMAT,
    })
    .optional(),
}

/** The fields above whose value is secret. */
export const NETWORK_SECRETS = ['clientKey'] as const

/** Why certificate and key do not belong together; undefined if they do, or if neither is set. */
export function mismatchOfKey({ clientCertificate, clientKey }: OperatorTransport): { path: string; message: string } | undefined {
  if (clientCertificate === undefined && clientKey === undefined) return undefined
  if (clientKey === undefined) return { path: 'clientKey', message: 'is needed with clientCertificate' }
  if (clientCertificate === undefined) return { path: 'clientCertificate', message: 'is needed with clientKey' }
  const [certificate] = certificatesIn(clientCertificate) ?? []
  const key = keyIn(clientKey)
  if (certificate && key && certificate.checkPrivateKey(key)) return undefined
  return { path: 'clientKey', message: 'is not the key of the first certificate in clientCertificate' }
}
