import { can } from '#lib/people/permissions.ts'
import { err, type Result } from '#lib/result.ts'
import { countDays } from '#lib/time/time.ts'
import type { PersonCommandActor } from '#server/audit/command-actor.ts'
import { done, runCommand } from '#server/audit/run-command.ts'
import { lockApplication } from '#server/database/application-locks.ts'
import type { Pool, Queryable, TrxClient } from '#server/database/pool.ts'
import { insertDeputyship, listDeputyships, lockDeputyship, markEnded, mayStandIn, readPeriod } from './deputy-store.ts'
import { lockActiveMember, mayCombineRoles, readMember } from './person-store.ts'

/** The longest absence; a longer one is a change of roles. */
const PERIOD_DAYS_MAX = 60

/** Who is absent, who decides in their place, and on which business days, the last one included. */
export type DeputyTerms = { absentId: string; deputyId: string; from: string; until: string }

type TermsFailure =
  | 'not_a_member'
  | 'absent_is_no_checker'
  /** A checker decides by their own right, once. */
  | 'deputy_is_checker'
  | 'deputy_without_factor'
  | 'combined_roles'
  /** Another deputy of the absent person holds then. */
  | 'deputy_named_already'
  | 'invalid_period'

type Readable = { absent: string; deputy: string; startsAt: Date; endsAt: Date }

/** Checks the terms of a deputyship, and returns the names of the two people and its instants. */
export async function readDeputyTerms(
  queryable: Queryable,
  applicationId: string,
  { absentId, deputyId, from, until }: DeputyTerms,
): Promise<Result<Readable, TermsFailure>> {
  const [absent, deputy] = [await readMember(queryable, applicationId, absentId), await readMember(queryable, applicationId, deputyId)]
  if (!absent?.isActive || absent.isBlocked || !deputy?.isActive || deputy.isBlocked || absentId === deputyId) return err('not_a_member')
  if (!absent.roles.includes('checker')) return err('absent_is_no_checker')
  if (deputy.roles.includes('checker')) return err('deputy_is_checker')
  if (!deputy.hasSecondFactor) return err('deputy_without_factor')
  const isCombined = deputy.roles.includes('maker') && deputy.roles.includes('administrator')
  if (isCombined && !(await mayCombineRoles(queryable, applicationId))) return err('combined_roles')
  if (!(await mayStandIn(queryable, applicationId, deputyId, absentId))) return err('not_a_member')
  const period = await readPeriod(queryable, applicationId, { from, until })
  if (!period || from > until || countDays(from, until) > PERIOD_DAYS_MAX || period.isOver) return err('invalid_period')
  const { startsAt, endsAt } = period
  const others = await listDeputyships(queryable, applicationId)
  if (others.some((other) => other.absentId === absentId && other.startsAt < endsAt && other.endsAt > startsAt))
    return err('deputy_named_already')
  return { ok: true, value: { absent: absent.name, deputy: deputy.name, startsAt, endsAt } }
}

type NameDeputy = DeputyTerms & { applicationId: string; changeId: string; actor: PersonCommandActor }

/**
 * Lets a member decide about payments in the place of a checker who is absent. Called when a second person confirms it; the application is
 * locked then, so that two confirmations see each other.
 */
export async function nameDeputy(trx: TrxClient, command: NameDeputy): Promise<Result<void, TermsFailure | 'not_permitted'>> {
  const { applicationId, changeId, absentId, deputyId, from, until } = command
  return runCommand<void, TermsFailure>(trx, command, 'people:change', async () => {
    const terms = await readDeputyTerms(trx, applicationId, command)
    if (!terms.ok) return terms
    const { startsAt, endsAt } = terms.value
    await insertDeputyship(trx, { applicationId, deputyshipId: changeId, absentId, deputyId, startsAt, endsAt, changeId })
    return done({ action: 'deputy.named', subject: deputyId, details: { absentId, from, until } })
  })
}

/**
 * Ends a deputyship at once: by the absent person, the deputy or an administrator alone, because it only takes a right away. What the deputy has
 * approved still counts, as long as they are members.
 */
export async function endDeputyship(
  pool: Pool,
  command: { applicationId: string; deputyshipId: string; actor: PersonCommandActor },
): Promise<Result<void, 'not_permitted' | 'not_found'>> {
  const { applicationId, deputyshipId, actor } = command
  return runCommand<void, 'not_permitted' | 'not_found'>(pool, command, 'own-settings:change', async (trx) => {
    if (!(await lockApplication(trx, applicationId))) return err('not_found')
    const found = await lockDeputyship(trx, applicationId, deputyshipId)
    if (!found) return err('not_found')
    const roles = (await lockActiveMember(trx, applicationId, actor.id)) ?? []
    const isConcerned = actor.id === found.absentId || actor.id === found.deputyId
    if (!isConcerned && !can(roles, 'people:change')) return err('not_permitted')
    await markEnded(trx, applicationId, deputyshipId, actor.id)
    return done({ action: 'deputy.ended', subject: found.deputyId, details: { absentId: found.absentId } })
  })
}
