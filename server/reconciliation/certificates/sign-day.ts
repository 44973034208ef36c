import { can } from '#lib/people/permissions.ts'
import type { DayObstacle } from '#lib/reconciliation/certificates.ts'
import { findWallet } from '#lib/reconciliation/wallets.ts'
import { err, type FreshProofRefusal, type Result } from '#lib/result.ts'
import type { Clock } from '#lib/time/time.ts'
import { mayAct, type PersonCommandActor } from '#server/audit/command-actor.ts'
import { done, runCommand } from '#server/audit/run-command.ts'
import type { Pool, TrxClient } from '#server/database/pool.ts'
import { sealLedgerDays } from '#server/ledger/seal-ledger-days.ts'
import { lockActiveMember, readMember } from '#server/people/person-store.ts'
import { checkFreshProof, type FreshProof } from '#server/people/sign-in/fresh-proof.ts'
import { examineDay } from '../exceptions/examine-days.ts'
import { numberDay } from '../journal/number-day.ts'
import { lockDays, readCertificate, readMakers, updateSigned, upsertPrepared } from './certificate-store.ts'
import { sealBody } from './compose-certificate.ts'
import { bodyOf, readSignable } from './signable-day.ts'
import { signingKey } from './signing-key.ts'

type Deps = { pool: Pool; clock: Clock }
type OneDay = { applicationId: string; actor: PersonCommandActor; wallet: string; day: string }
type Failure = 'not_found' | 'not_permitted' | DayObstacle

/**
 * Prepares a day of a wallet: its figures wait for another person to sign them. Nothing is protected yet; a day that was prepared before is
 * prepared again.
 */
export async function prepareDay({ pool, clock }: Deps, command: OneDay): Promise<Result<void, Failure>> {
  const { applicationId, actor, wallet: id, day } = command
  // Otherwise a day that ended just now waits for the next runs of the tasks, and an exception that they open meanwhile would change the figures
  // between the two people.
  if (findWallet(id) && mayAct(actor, applicationId, 'day:sign')) {
    await sealLedgerDays(pool)
    await examineDay(pool, { applicationId, wallet: id, day })
  }
  return runCommand<void, Failure>(pool, command, 'day:sign', async (trx) => {
    await lockDays(trx, applicationId, id)
    const now = clock.now()
    const read = await readSignable(trx, command, { asOf: now, now })
    if (!read) return err('not_found')
    const { wallet, composed, latest, obstacle } = read
    if (obstacle) return err(obstacle)
    const version = latest?.state === 'prepared' ? latest.version : (latest?.version ?? 0) + 1
    const replaced = version > 1 ? await readCertificate(trx, { applicationId, wallet: id, day, version: version - 1 }) : undefined
    const body = bodyOf(composed, {
      version,
      replaces: replaced?.hash ?? null,
      preparedBy: await personOf(trx, applicationId, actor.id),
      preparedAt: now.toISOString(),
    })
    await upsertPrepared(trx, {
      applicationId,
      wallet: id,
      day,
      version,
      operator: wallet.operator,
      account: wallet.account,
      startsAt: composed.startsAt,
      endsAt: composed.endsAt,
      ...sealBody(body),
      previousHash: composed.previous?.hash ?? null,
      preparedBy: actor.id,
      preparedAt: now,
    })
    return done({ action: 'day.prepared', subject: `${id} ${day}`, details: { version } })
  })
}

type SignFailure = Failure | FreshProofRefusal | 'not_prepared' | 'own_preparation' | 'maker' | 'changed'

/**
 * Signs a prepared day, which makes it a certificate: its figures, and everything that they were read from, are protected from then on. `hash`: of
 * the prepared figures that the person saw. `maker`: the person proposed an adjustment of this day. `changed`: it was prepared again, or its
 * figures are others now.
 */
export async function signDay(
  deps: Deps,
  command: OneDay & { hash: string; proof?: FreshProof | undefined },
): Promise<Result<void, SignFailure>> {
  const { applicationId, actor, wallet: id, day } = command
  if (!mayAct(actor, applicationId, 'day:sign')) return err('not_permitted')
  const checked = await checkFreshProof(deps, { applicationIds: [applicationId], personId: actor.id, proof: command.proof })
  if (!checked.ok) return checked
  return runCommand<void, SignFailure>(deps.pool, command, 'day:sign', async (trx) => {
    // Roles are those of the beginning of the request: a person keeps them until the certificate is stored.
    if (!can((await lockActiveMember(trx, applicationId, actor.id)) ?? [], 'day:sign')) return err('not_permitted')
    await lockDays(trx, applicationId, id)
    const prepared = await readCertificate(trx, { applicationId, wallet: id, day })
    if (prepared?.state === 'signed') return err('already_signed')
    if (prepared?.state !== 'prepared') return err('not_prepared')
    if (prepared.preparedBy === actor.id) return err('own_preparation')
    const now = deps.clock.now()
    const read = await readSignable(trx, command, { asOf: prepared.preparedAt, now })
    if (!read) return err('not_found')
    if (read.obstacle) return err(read.obstacle)
    const body = bodyOf(read.composed, prepared.body)
    if (prepared.hash !== command.hash || sealBody(body).text !== prepared.text) return err('changed')
    if ((await readMakers(trx, prepared)).includes(actor.id)) return err('maker')
    const key = await signingKey(trx, applicationId)
    const signedBy = await personOf(trx, applicationId, actor.id)
    const sealed = sealBody({ ...body, signedBy, signedAt: now.toISOString(), keyId: key.keyId })
    const signature = key.sign(sealed.text)
    await updateSigned(trx, prepared, { ...sealed, signedBy: actor.id, signedAt: now, keyId: key.keyId, signature })
    await numberDay(trx, { applicationId, body, now })
    const { version } = prepared
    const details = { version, hash: sealed.hash.toString('hex'), preparedBy: prepared.preparedBy, ...checked.value }
    return done({ action: 'day.signed', subject: `${id} ${day}`, details })
  })
}

async function personOf(trx: TrxClient, applicationId: string, personId: string): Promise<{ personId: string; name: string }> {
  const member = await readMember(trx, applicationId, personId)
  if (!member) throw new Error(`The person ${personId} is no member`)
  return { personId, name: member.name }
}
