import ipaddr from 'ipaddr.js'

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
