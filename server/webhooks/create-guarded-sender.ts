import { createAddressGuard, LOOPBACK_NETWORKS } from './guard-address.ts'
import { createHostResolver } from './resolve-host.ts'
import { createSender, type Sender } from './send-webhook.ts'

type GuardedSenderOptions = {
  /** The sandbox: receivers on this machine. */
  allowsPrivateTargets: boolean
  deadlineMs?: number
  idleConnectionsMax: number
}

export type GuardedSenders = {
  /** Returns what sends to public addresses and to these networks (CIDR notation), and nowhere else. */
  to(allowedNetworks: readonly string[]): Sender
  close(): void
}

/**
 * Makes the senders of one process: one for each set of networks that some application was granted. Connections are kept inside a
 * sender, so that no application is served by a connection that only another one may open.
 */
export function createGuardedSenders({
  allowsPrivateTargets,
  deadlineMs = 5_000,
  idleConnectionsMax,
}: GuardedSenderOptions): GuardedSenders {
  const always = allowsPrivateTargets ? LOOPBACK_NETWORKS : []
  const resolveHost = createHostResolver()
  const senders = new Map<string, Sender>()
  return {
    to(allowedNetworks) {
      const key = allowedNetworks.join(',')
      const known = senders.get(key)
      if (known) return known
      const mayConnectTo = createAddressGuard([...always, ...allowedNetworks])
      const sender = createSender({ resolveHost, mayConnectTo, deadlineMs, idleConnectionsMax })
      senders.set(key, sender)
      return sender
    },
    close() {
      for (const sender of senders.values()) sender.close()
    },
  }
}
