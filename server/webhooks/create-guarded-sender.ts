import { createAddressGuard, LOOPBACK_NETWORKS } from './guard-address.ts'
import { createHostResolver } from './resolve-host.ts'
import { createSender, type Sender } from './send-webhook.ts'

type GuardedSenderOptions = {
  /** The sandbox: receivers on this machine. */
  allowsPrivateTargets: boolean
  allowedNetworks?: readonly string[] | undefined
  deadlineMs?: number
  idleConnectionsMax: number
}

/** A sender that connects to public addresses only, and to the networks that are allowed besides. */
export function createGuardedSender({
  allowsPrivateTargets,
  allowedNetworks = [],
  deadlineMs = 5_000,
  idleConnectionsMax,
}: GuardedSenderOptions): Sender {
  const networks = [...(allowsPrivateTargets ? LOOPBACK_NETWORKS : []), ...allowedNetworks]
  return createSender({ resolveHost: createHostResolver(), mayConnectTo: createAddressGuard(networks), deadlineMs, idleConnectionsMax })
}
