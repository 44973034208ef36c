import { isIP, type LookupFunction, connect as netConnect, type Socket } from 'node:net'
import { connect as tlsConnect } from 'node:tls'
import type { buildConnector } from 'undici'
import type { AddressGuard } from './guard-address.ts'
import type { HostResolver } from './resolve-host.ts'

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
