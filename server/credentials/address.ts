import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import ipaddr from 'ipaddr.js'
import type { Clock } from '#lib/time/time.ts'

export type Address = ipaddr.IPv4 | ipaddr.IPv6

/**
 * An address, IPv4 even where it was written as IPv6; undefined for anything else. Strict: the library would also read octal,
 * hexadecimal and shortened IPv4, which people never mean.
 */
export function parseAddress(text: string): Address | undefined {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text)
  const withoutZone = text.split('%')[0] ?? ''
  if (!withoutZone.includes(':') || !ipaddr.IPv6.isValid(withoutZone)) return undefined
  const address = ipaddr.IPv6.parse(withoutZone)
  return address.isIPv4MappedAddress() ? address.toIPv4Address() : address
}

/**
 * The name under which attempts from an address are counted: the address itself, and for IPv6 its /64, which is what one
 * customer of a provider owns.
 */
export function throttleAddress(peerAddress: string): string {
  const address = parseAddress(peerAddress)
  if (!address) return 'unknown'
  return address.kind() === 'ipv4' ? address.toString() : `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/64`)}/64`
}

/** The wider network of an address, in which addresses are cheap to come by: an IPv4 /24, an IPv6 /48. */
export function throttleNetwork(peerAddress: string): string {
  const address = parseAddress(peerAddress)
  if (!address) return 'unknown'
  return address.kind() === 'ipv4'
    ? `${ipaddr.IPv4.networkAddressFromCIDR(`${address}/24`)}/24`
    : `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/48`)}/48`
}

type KeyedDigest = (...parts: string[]) => Buffer

/** The source and name of a sign-in, as digests and as the path in which it waits. */
export type Source = {
  pairKey: string
  addressKey: string
  accountKey: string
  nameDigest: Buffer
  networkDigest: Buffer
  path: readonly string[]
  /** The address, IPv6 as its /64. */
  from: string
  isDevice: boolean
}

/** Names as digests, because people type passwords into the name field; keyed, because those could be guessed from a plain one. */
export function createKeyedDigest(secret: string): KeyedDigest {
  const key = createHmac('sha256', secret).update('names and networks of sign-ins').digest()
  return (...parts) => createHmac('sha256', key).update(JSON.stringify(parts)).digest()
}

/** The source of an attempt. A known device has a path of its own, regardless of its address. */
export function sourceOf(
  attempt: { scope: 'api' | 'person'; name: string; address: string; device?: string | undefined },
  keyed: KeyedDigest,
): Source {
  const { scope, device, address } = attempt
  const [who, from] = [attempt.name.toLowerCase(), throttleAddress(address)]
  const account = keyed('account of a path', scope, who).toString('base64')
  return {
    pairKey: keyed('pair', scope, who, device === undefined ? from : `device ${device}`).toString('hex'),
    addressKey: keyed('address', scope, from).toString('hex'),
    accountKey: keyed('account', scope, who).toString('hex'),
    nameDigest: keyed('name', scope, who),
    networkDigest: keyed('network', scope, who, from),
    path: device === undefined ? [throttleNetwork(address), from, account] : [`device ${device}`, '', account],
    from,
    isDevice: device !== undefined,
  }
}

/** How long a browser is remembered after a sign-in, in seconds: 180 days. */
export const DEVICE_MARK_S = 180 * 24 * 3_600
const MARK = /^([A-Za-z0-9_-]{22})\.(\d{1,10})\.([A-Za-z0-9_-]{43})$/

/**
 * Marks browsers in which a person signed in. A mark proves nothing about who is calling: it only decides in which queue a
 * password of that one person is checked, so that a flood of guesses from elsewhere cannot keep them out.
 */
export type DeviceMarks = {
  /** A new mark for the person with this e-mail address, to be stored in the browser. */
  issue(email: string): string
  /** The id of a mark that was issued for this e-mail address within 180 days; undefined for anything else. */
  recognise(mark: string | undefined, email: string): string | undefined
}

/** Makes and reads marks that are signed with `secret`, the same in every process. Stores nothing. */
export function createDeviceMarks({ secret, clock }: { secret: string; clock: Clock }): DeviceMarks {
  const key = createHmac('sha256', secret).update('marks of known devices').digest()
  const sign = (id: string, issuedS: number, email: string): Buffer =>
    createHmac('sha256', key)
      .update(JSON.stringify([id, issuedS, email.trim().toLowerCase()]))
      .digest()
  const nowS = (): number => Math.floor(clock.now().getTime() / 1_000)
  return {
    issue(email) {
      const id = randomBytes(16).toString('base64url')
      const issuedS = nowS()
      return `${id}.${issuedS}.${sign(id, issuedS, email).toString('base64url')}`
    },
    recognise(mark, email) {
      const [, id, issued, signature] = MARK.exec(mark ?? '') ?? []
      if (id === undefined || issued === undefined || signature === undefined) return undefined
      const issuedS = Number(issued)
      const isGenuine = timingSafeEqual(sign(id, issuedS, email), Buffer.from(signature, 'base64url'))
      return isGenuine && issuedS + DEVICE_MARK_S > nowS() ? id : undefined
    },
  }
}
