import ipaddr from 'ipaddr.js'

/** True when a webhook may connect to this IP address. */
export type AddressGuard = (address: string) => boolean

export const LOOPBACK_NETWORKS: readonly string[] = ['127.0.0.0/8', '::1/128']

type Network = [ipaddr.IPv4 | ipaddr.IPv6, number]

/**
 * Decides which addresses webhooks may go to: public unicast ones, and what lies in `allowedNetworks` (CIDR notation).
 * Everything special-purpose is refused: private, loopback, link-local (cloud metadata), carrier-grade NAT, multicast,
 * documentation and benchmarking ranges, and the IPv6 forms that carry an IPv4 address (mapped, NAT64, 6to4, Teredo),
 * which would lead around the check. IPv6 beyond 2000::/3 is not handed out and refused too.
 * Throws on a network that cannot be read.
 */
export function createAddressGuard(allowedNetworks: readonly string[]): AddressGuard {
  const networks = allowedNetworks.map(parseNetwork)
  return (text) => {
    if (!ipaddr.isValid(text)) return false
    const address = ipaddr.parse(text)
    // A mapped address is an IPv4 connection: only the allow list, never the public range, applies to the IPv4 form.
    const plain = address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() ? address.toIPv4Address() : address
    if (networks.some(([network, bits]) => network.kind() === plain.kind() && plain.match(network, bits))) return true
    return address.range() === 'unicast' && (address instanceof ipaddr.IPv4 || (address.parts[0] ?? 0) >> 13 === 1)
  }
}

function parseNetwork(text: string): Network {
  const range = text.includes('/') ? text : `${text}/${text.includes(':') ? 128 : 32}`
  if (!ipaddr.isValidCIDR(range)) throw new Error(`${text} is not a network in CIDR notation`)
  return ipaddr.parseCIDR(range)
}
