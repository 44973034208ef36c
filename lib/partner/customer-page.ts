/** How the page of customers looks for one application (`/pay/…`). */
export type CustomerPageTerms = {
  /** A picture as a `data:` address; null: the name alone. */
  logo: string | null
  /** Whom customers ask: a number, an e-mail address or a web address. */
  support: string | null
  /** Where customers go back to. */
  returnUrl: string | null
  /** Customers whose payment failed are sent back to pay again. */
  offersRetry: boolean
}

export const NO_CUSTOMER_PAGE: CustomerPageTerms = { logo: null, support: null, returnUrl: null, offersRetry: false }

/** Customers pay for every byte. */
export const LOGO_BYTES_MAX = 4_096
export const SUPPORT_LENGTH_MAX = 100

/** The kinds of pictures by the bytes with which they begin. No SVG: it may hold scripts and addresses of others. */
const SIGNATURES = [
  { type: 'image/png', begin: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] },
  { type: 'image/jpeg', begin: [0xff, 0xd8, 0xff] },
  { type: 'image/gif', begin: [0x47, 0x49, 0x46, 0x38] },
] as const
type LogoType = (typeof SIGNATURES)[number]['type'] | 'image/webp'
export type Logo = { type: LogoType; bytes: Uint8Array<ArrayBuffer> }

/** Base64 in groups of four characters, padded: `atob` throws on anything else. */
const DATA_ADDRESS = /^data:(image\/[a-z]+);base64,((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/

/** Reads a picture. Undefined if it is larger than `LOGO_BYTES_MAX`, of no kind above, or of another kind than its address says. */
export function readLogo(address: string): Logo | undefined {
  const [, type, encoded = ''] = DATA_ADDRESS.exec(address) ?? []
  if (type === undefined || encoded.length > Math.ceil(LOGO_BYTES_MAX / 3) * 4) return undefined
  const bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0))
  const found = typeOf(bytes)
  return found === type && bytes.length <= LOGO_BYTES_MAX ? { type: found, bytes } : undefined
}

/** The kind of a picture by its content. */
export function typeOf(bytes: Uint8Array): LogoType | undefined {
  const known = SIGNATURES.find(({ begin }) => begin.every((byte, place) => bytes[place] === byte))
  if (known) return known.type
  const textAt = (from: number, to: number) => String.fromCharCode(...bytes.subarray(from, to))
  return textAt(0, 4) === 'RIFF' && textAt(8, 12) === 'WEBP' ? 'image/webp' : undefined
}

/** The `data:` address of a picture. */
export function logoAddress({ type, bytes }: Logo): string {
  return `data:${type};base64,${btoa(String.fromCharCode(...bytes))}`
}

/** Whether customers may be sent to this address: https, or http to the same machine for tests. */
export function isReturnUrl(text: string): boolean {
  if (text.length > 500 || !URL.canParse(text) || /[\s\\]/.test(text)) return false
  const { protocol, username, password, hostname } = new URL(text)
  if (username !== '' || password !== '') return false
  return protocol === 'https:' || (protocol === 'http:' && ['localhost', '127.0.0.1'].includes(hostname))
}

/** Returns the address to which customers go back, with the payment that they come from and how it ended. */
export function returnAddress(returnUrl: string, { externalId, status }: { externalId: string; status: string }): string {
  const url = new URL(returnUrl)
  url.searchParams.set('externalId', externalId)
  url.searchParams.set('status', status)
  return url.href
}
