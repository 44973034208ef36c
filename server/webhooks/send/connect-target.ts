import { Resolver } from 'node:dns/promises'
import { isIP, type LookupFunction, connect as netConnect, type Socket } from 'node:net'
import { connect as tlsConnect } from 'node:tls'
import ipaddr from 'ipaddr.js'
import type { buildConnector } from 'undici'

/** The phase that a request is waiting in: names the timeout when the deadline passes. */
export type Phase = 'dns' | 'connect' | 'tls' | 'headers' | 'body'

/** A name with thousands of addresses would otherwise have thousands of connections tried within one attempt. */
const ADDRESSES_TRIED_MAX = 8

export class RefusedTargetError extends Error {
  override readonly name = 'RefusedTargetError'
}

export type ConnectDependencies = {
  resolveHost: HostResolver
  mayConnectTo: AddressGuard
  /** Extra certificate authorities (PEM), besides those that Node trusts. */
  authorities?: readonly string[]
}

/** One connection being made: `phase` tells how far it is, `abort` closes everything that is open. */
export type ConnectionProgress = { phase: Phase; socket: Socket | undefined; isAborted: boolean }

/**
 * Makes the connect function of one undici client. The host name is resolved, every address is checked, and the socket
 * connects to just these addresses: no second look-up lies between the check and the connection, so a name that changes
 * its mind in between gains nothing. Certificates are verified.
 */
export function createConnector(dependencies: ConnectDependencies, progress: ConnectionProgress): buildConnector.connector {
  return (options, callback) => {
    void open(dependencies, progress, options).then(
      (socket) => callback(null, socket),
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null),
    )
  }
}

async function open(dependencies: ConnectDependencies, progress: ConnectionProgress, options: buildConnector.Options): Promise<Socket> {
  progress.phase = 'dns'
  const addresses = await dependencies.resolveHost(options.hostname)
  if (!addresses.every(dependencies.mayConnectTo)) {
    throw new RefusedTargetError('The host is not, or not only, at public addresses; webhooks are not sent there.')
  }
  if (progress.isAborted) throw new Error('The deadline passed during the name look-up.')
  progress.phase = 'connect'
  const isSecure = options.protocol === 'https:'
  const plain = await openPlain(progress, options, addresses, isSecure ? 443 : 80)
  if (!isSecure) return plain
  progress.phase = 'tls'
  return await openSecure(progress, options, plain, dependencies.authorities)
}

function openPlain(
  progress: ConnectionProgress,
  options: buildConnector.Options,
  addresses: readonly string[],
  defaultPort: number,
): Promise<Socket> {
  const checked = addresses.slice(0, ADDRESSES_TRIED_MAX).map((address) => ({ address, family: isIP(address) }))
  const lookup: LookupFunction = (_hostname, lookupOptions, done) => {
    const first = checked[0]
    if (lookupOptions.all) done(null, checked)
    else if (first) done(null, first.address, first.family)
  }
  return new Promise((resolve, reject) => {
    const socket = netConnect({
      host: options.hostname,
      port: Number(options.port) || defaultPort,
      lookup,
      autoSelectFamily: true,
      noDelay: true,
    })
    progress.socket = socket
    // Remains: between the connection and its first use there is no other listener, and an error without a listener ends the process.
    socket.on('error', reject)
    socket.once('close', () => reject(new Error('The connection was closed.')))
    socket.once('connect', () => resolve(socket))
  })
}

function openSecure(
  progress: ConnectionProgress,
  options: buildConnector.Options,
  plain: Socket,
  authorities?: readonly string[],
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = tlsConnect({
      socket: plain,
      host: options.hostname,
      // An IP address is not a valid server name; the certificate is then checked against `host`.
      servername: isIP(options.hostname) === 0 ? options.hostname : '',
      ALPNProtocols: ['http/1.1'],
      ...(authorities ? { ca: [...authorities] } : {}),
    })
    progress.socket = socket
    socket.on('error', reject)
    socket.once('close', () => reject(new Error('The connection was closed.')))
    socket.once('secureConnect', () => resolve(socket))
  })
}

/** Returns every address of a host name; for an IP address, that address. Rejects with a NameLookupError. */
type HostResolver = (hostname: string) => Promise<readonly string[]>

export class NameLookupError extends Error {
  override readonly name = 'NameLookupError'
}

const LOCALHOST: readonly string[] = ['127.0.0.1', '::1']

/**
 * Resolves over the network (c-ares), not through getaddrinfo: that one occupies one of libuv's four threads per name,
 * so that four receivers with a dead name server would stop all deliveries. The price: /etc/hosts is not read,
 * except that localhost means this machine (RFC 6761). Equal look-ups in progress share one query.
 * `servers` replaces the system's name servers.
 */
export function createHostResolver(servers?: readonly string[]): HostResolver {
  const resolver = new Resolver({ timeout: 1_500, tries: 3 })
  if (servers) resolver.setServers(servers)
  const inProgress = new Map<string, Promise<readonly string[]>>()
  return (hostname) => {
    if (isIP(hostname) !== 0) return Promise.resolve([hostname])
    if (hostname === 'localhost' || hostname.endsWith('.localhost')) return Promise.resolve(LOCALHOST)
    const known = inProgress.get(hostname)
    if (known) return known
    const lookup = resolveBoth(resolver, hostname).finally(() => inProgress.delete(hostname))
    inProgress.set(hostname, lookup)
    return lookup
  }
}

async function resolveBoth(resolver: Resolver, hostname: string): Promise<readonly string[]> {
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
  const addresses = [...(v4.status === 'fulfilled' ? v4.value : []), ...(v6.status === 'fulfilled' ? v6.value : [])]
  if (addresses.length > 0) return addresses
  const reason: unknown = v4.status === 'rejected' ? v4.reason : undefined
  const code = reason instanceof Error && 'code' in reason ? String(reason.code) : 'ENODATA'
  throw new NameLookupError(`The host name could not be resolved (${code}).`)
}

/** True when a webhook may connect to this IP address. */
type AddressGuard = (address: string) => boolean

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
