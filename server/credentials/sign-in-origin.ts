import { createHmac } from 'node:crypto'
import { throttleAddress, throttleNetwork } from './address.ts'

type KeyedDigest = (...parts: string[]) => Buffer

/** The origin and name of a sign-in, as digests and as the path in which it waits. */
export type Origin = {
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

/** The origin of an attempt. A known device has a lane of its own, regardless of its address. */
export function originOf(
  attempt: { scope: 'api' | 'person'; name: string; address: string; device?: string | undefined },
  keyed: KeyedDigest,
): Origin {
  const { scope, device, address } = attempt
  const [who, from] = [attempt.name.toLowerCase(), throttleAddress(address)]
  const lane = keyed('lane', scope, who).toString('base64')
  return {
    pairKey: keyed('pair', scope, who, device === undefined ? from : `device ${device}`).toString('hex'),
    addressKey: keyed('address', scope, from).toString('hex'),
    accountKey: keyed('account', scope, who).toString('hex'),
    nameDigest: keyed('name', scope, who),
    networkDigest: keyed('network', scope, who, from),
    path: device === undefined ? [throttleNetwork(address), from, lane] : [`device ${device}`, '', lane],
    from,
    isDevice: device !== undefined,
  }
}
