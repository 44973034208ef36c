import { Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'

/** Returns every address of a host name; for an IP address, that address. Rejects with a NameLookupError. */
export type HostResolver = (hostname: string) => Promise<readonly string[]>

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
  const underWay = new Map<string, Promise<readonly string[]>>()
  return (hostname) => {
    if (isIP(hostname) !== 0) return Promise.resolve([hostname])
    if (hostname === 'localhost' || hostname.endsWith('.localhost')) return Promise.resolve(LOCALHOST)
    const known = underWay.get(hostname)
    if (known) return known
    const lookup = resolveBoth(resolver, hostname).finally(() => underWay.delete(hostname))
    underWay.set(hostname, lookup)
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
