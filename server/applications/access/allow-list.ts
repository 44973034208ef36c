import ipaddr from 'ipaddr.js'
import { err, ok, type Result } from '#lib/result.ts'
import { type Address, parseAddress } from '#server/credentials/address.ts'
import { createBoundedCache } from '#server/credentials/password.ts'

export type NetworkProblem = 'not_a_network' | 'host_bits_set'

/** Which peers an application admits. An empty list admits no address. */
export type AllowList = { networks: readonly string[]; admits(peerAddress: string): boolean }

/** How many peers' verdicts are remembered per application: partners call from few addresses, again and again. */
const VERDICTS_MAX = 256

/**
 * Reads an address or a CIDR network and returns its canonical spelling: `10.0.0.0/8`, `192.0.2.7`, `2001:db8::/32`.
 * IPv4 written as IPv6 (`::ffff:192.0.2.7`) is IPv4. Refused: anything else than four decimal parts for IPv4, zones, and
 * a network with bits set outside its mask, because one of its digits must be wrong.
 */
export function parseNetwork(text: string): Result<string, NetworkProblem> {
  const [host = '', lengthText, ...rest] = text.trim().split('/')
  const parsed = parseAddress(host)
  if (!parsed || rest.length > 0 || host.includes('%')) return err('not_a_network')
  const bits = parsed.kind() === 'ipv4' ? 32 : 128
  if (lengthText === undefined) return ok(parsed.toString())
  if (!/^\d{1,3}$/.test(lengthText)) return err('not_a_network')
  // A mapped network counts its length from the IPv6 side: ::ffff:10.0.0.0/104 is 10.0.0.0/8.
  const length = Number(lengthText) - (bits === 32 && host.includes(':') ? 96 : 0)
  if (length < 0 || length > bits) return err('not_a_network')
  const network =
    bits === 32 ? ipaddr.IPv4.networkAddressFromCIDR(`${parsed}/${length}`) : ipaddr.IPv6.networkAddressFromCIDR(`${parsed}/${length}`)
  if (network.toString() !== parsed.toString()) return err('host_bits_set')
  return ok(length === bits ? parsed.toString() : `${parsed}/${length}`)
}

/** Builds the list from stored networks. A stored text that is not a network admits no address. */
export function createAllowList(networks: readonly string[]): AllowList {
  const ranges = networks.flatMap(toRange)
  const verdicts = createBoundedCache<string, boolean>(VERDICTS_MAX)
  return {
    networks,
    admits(peerAddress) {
      const known = verdicts.get(peerAddress)
      if (known !== undefined) return known
      const address = parseAddress(peerAddress)
      const verdict =
        address !== undefined &&
        ranges.some((range) => range.address.kind() === address.kind() && address.match(range.address, range.length))
      verdicts.set(peerAddress, verdict)
      return verdict
    },
  }
}

function toRange(network: string): { address: Address; length: number }[] {
  const parsed = parseNetwork(network)
  if (!parsed.ok) return []
  const [host = '', length] = parsed.value.split('/')
  const address = parseAddress(host)
  return address ? [{ address, length: length === undefined ? (address.kind() === 'ipv4' ? 32 : 128) : Number(length) }] : []
}
