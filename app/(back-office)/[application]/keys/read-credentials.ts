import type { ChangeKindName } from '#lib/approvals/proposed-change.ts'
import type { ApiScope } from '#lib/partner/api-scopes.ts'
import { listAccess } from '#server/applications/access/access-store.ts'
import { parseNetwork } from '#server/applications/access/allow-list.ts'
import type { BackOfficeActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { listChanges } from '#server/changes/list-changes.ts'
import { currentPeerAddress } from '#server/http/request/request-facts.ts'
import { listKeyUses, listRefusals } from '#server/partner-auth/caller-records-store.ts'
import { listActiveMembers } from '#server/people/person-store.ts'

const KINDS: readonly ChangeKindName[] = [
  'key.create',
  'key.rotate',
  'api_user.create',
  'api_user.reset',
  'api_user.unblock',
  'webhook_secret.rotate',
  'address.allow',
  'address.deny',
]
/** Keys that ended longer ago are not listed; the audit record has them. */
const ENDED_SHOWN_MS = 90 * 24 * 3_600_000

export type ListedKey = {
  apiKeyId: string
  name: string
  keyPrefix: string
  /** The calls that it is limited to; null: all. */
  scopes: readonly ApiScope[] | null
  createdAt: string
  createdBy: string | null
  /** When it ends, or when it ended. */
  endsAt: string | null
  state: 'works' | 'ends' | 'ended' | 'revoked'
  /** The latest use first. */
  uses: { address: string; firstAt: string; lastAt: string }[]
}
export type ListedApiUser = { apiUserId: string; username: string; isBlocked: boolean; createdAt: string }
export type ListedChecker = { personId: string; name: string }
export type ListedAddress = { network: string; note: string; createdAt: string; isLast: boolean }

/** Reads everything that the page shows. */
export async function readCredentials(actor: BackOfficeActor) {
  const { pool, clock, directory } = backOfficeRuntime()
  const { applicationId } = actor
  const [access, uses, refusals, { changes, ...confirmation }, members] = await Promise.all([
    listAccess(pool, applicationId),
    listKeyUses(pool, applicationId),
    listRefusals(pool, applicationId),
    listChanges(pool, { applicationId, kinds: KINDS, actor }),
    listActiveMembers(pool, applicationId),
  ])
  const names = new Map(access.people.map(({ personId, name }) => [personId, name]))
  const now = clock.now()
  const keys = access.keys.flatMap((key): ListedKey[] => {
    const endedAt = key.revokedAt ?? key.expiresAt
    if (endedAt && now.getTime() - endedAt.getTime() > ENDED_SHOWN_MS) return []
    const { apiKeyId, name, keyPrefix, scopes, createdBy } = key
    const state = key.revokedAt ? 'revoked' : key.expiresAt ? (key.expiresAt <= now ? 'ended' : 'ends') : 'works'
    return [
      {
        apiKeyId,
        name,
        keyPrefix,
        scopes,
        createdAt: key.createdAt.toISOString(),
        createdBy: createdBy === null ? null : (names.get(createdBy) ?? null),
        endsAt: endedAt?.toISOString() ?? null,
        state,
        uses: uses.flatMap((use) =>
          use.apiKeyId === apiKeyId ? [{ address: use.address, firstAt: use.firstAt.toISOString(), lastAt: use.lastAt.toISOString() }] : [],
        ),
      },
    ]
  })
  const own = parseNetwork(currentPeerAddress() ?? '')
  const addresses = access.addresses.map(({ network, note, createdAt }) => ({ network, note, createdAt: createdAt.toISOString() }))
  return {
    apiId: directory.find(applicationId)?.apiId ?? '',
    secrets: (directory.find(applicationId)?.webhookSecrets ?? []).filter(({ expiresAt }) => !expiresAt || expiresAt > now),
    /** Whom decisions of the API may name. */
    checkers: members.flatMap(({ personId, name, roles }): ListedChecker[] => (roles.includes('checker') ? [{ personId, name }] : [])),
    keys,
    apiUsers: access.apiUsers.map((user): ListedApiUser => ({ ...user, createdAt: user.createdAt.toISOString() })),
    addresses: addresses.map((address): ListedAddress => ({ ...address, isLast: addresses.length === 1 })),
    /** The address of this browser, unless it is on the list already. */
    ownAddress: own.ok && !directory.find(applicationId)?.allowList.admits(own.value) ? own.value : null,
    refusals,
    changes,
    confirmation,
  }
}
