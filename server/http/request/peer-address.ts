import type { IncomingHttpHeaders } from 'node:http'
import ipaddr from 'ipaddr.js'

/** Finds who is calling, from the socket's address and what the proxies in between wrote. */
export type PeerResolver = {
  /**
   * The caller's address in its shortest usual form. `socketAddress` undefined means that the host does not tell it (Next
   * alone): then only a configured proxy can vouch, and without one the answer is undefined.
   */
  resolve(socketAddress: string | undefined, forwardedFor: string | undefined): string | undefined
  /** Whether a socket's address is one of the trusted proxies. */
  isTrusted(socketAddress: string | undefined): boolean
}

type Range = [ipaddr.IPv4 | ipaddr.IPv6, number]

/**
 * `trustedProxies` are addresses and networks. X-Forwarded-For is read from the right, past trusted proxies only: the
 * first other address is the caller, and nothing that the caller wrote to the left of it counts.
 */
export function createPeerResolver(trustedProxies: readonly string[]): PeerResolver {
  const ranges = trustedProxies.map(toRange)

  function isTrusted(address: string | undefined): boolean {
    if (ranges.length === 0 || address === undefined || !ipaddr.isValid(address)) return false
    const parsed = ipaddr.process(address)
    return ranges.some(([network, bits]) => parsed.kind() === network.kind() && parsed.match(network, bits))
  }

  function resolve(socketAddress: string | undefined, forwardedFor: string | undefined): string | undefined {
    if (ranges.length === 0) return socketAddress === undefined ? undefined : normaliseAddress(socketAddress)
    if (socketAddress !== undefined && !isTrusted(socketAddress)) return normaliseAddress(socketAddress)
    let nearest = socketAddress
    for (const hop of (forwardedFor ?? '').split(',').reverse()) {
      const address = hop.trim()
      if (address === '') continue
      // Anything but an address cannot be checked: the caller behind it is unknown.
      if (!ipaddr.isValid(address)) return undefined
      nearest = address
      if (!isTrusted(address)) break
    }
    return nearest === undefined ? undefined : normaliseAddress(nearest)
  }

  return { resolve, isTrusted }
}

/** IPv4 addresses that arrive in IPv6 clothes (::ffff:192.0.2.1) become what they are; a zone (%eth0) is dropped. */
export function normaliseAddress(address: string): string {
  if (address.startsWith('::ffff:') && address.includes('.')) return address.slice(7)
  if (!address.includes(':')) return address
  const bare = address.split('%', 1)[0] ?? address
  return ipaddr.isValid(bare) ? ipaddr.process(bare).toString() : address
}

/** True for loopback, private and link-local addresses: the machine itself and its own network. */
export function isPrivateAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  return ['loopback', 'private', 'linkLocal', 'uniqueLocal'].includes(ipaddr.process(address).range())
}

function toRange(text: string): Range {
  if (text.includes('/')) return ipaddr.parseCIDR(text)
  const address = ipaddr.process(text)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}

// Next believes these without asking who wrote them.
const NEXT_INTERNAL = /^(?:x-middleware-|x-invoke-|x-matched-path$|x-now-route-matches$|next-resume$)/
const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-forwarded-port', 'x-real-ip']

/** The longest User-Agent that Next receives; browsers send some 150 characters. */
const USER_AGENT_LENGTH_MAX = 512

/**
 * Takes away what only Next itself or a trusted proxy may say, before Next sees a request, and cuts the User-Agent: Next looks for
 * crawlers in it with an expression whose time grows with the square of the length of a word, 0.9 s for 16 KB. Changes `headers`.
 */
export function cleanForNext(headers: IncomingHttpHeaders, isFromTrustedProxy: boolean): void {
  const agent = headers['user-agent']
  if (agent !== undefined && agent.length > USER_AGENT_LENGTH_MAX) headers['user-agent'] = agent.slice(0, USER_AGENT_LENGTH_MAX)
  for (const name in headers) if (NEXT_INTERNAL.test(name)) delete headers[name]
  if (isFromTrustedProxy) return
  for (const name of FORWARDED) if (headers[name] !== undefined) delete headers[name]
}

/** Whether the request says that it came through a proxy. */
export function isForwarded(headers: IncomingHttpHeaders): boolean {
  return headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined
}

/** X-Forwarded-For as one list, even when it came as several lines. */
export function forwardedFor(headers: IncomingHttpHeaders): string | undefined {
  const value = headers['x-forwarded-for']
  return Array.isArray(value) ? value.join(',') : value
}
