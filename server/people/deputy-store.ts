import type { Queryable, TrxClient } from '#server/database/pool.ts'

/** A checker in whose place a person decides now, until when. */
export type AbsentChecker = { personId: string; name: string; until: string }

/** As a list in JSON, for a person `p` in an application `a`. */
export const ABSENT_CHECKERS = `coalesce((select json_agg(json_build_object('personId', c.absent_id, 'name', b.name, 'until', c.ends_at) order by c.ends_at)
  from absent_checkers(a.application_id, p.person_id) c join people b on b.person_id = c.absent_id), '[]')`

export type Deputyship = {
  deputyshipId: string
  absentId: string
  absentName: string
  deputyId: string
  deputyName: string
  startsAt: Date
  endsAt: Date
  /** The two people are still what a deputyship needs; otherwise it has no effect. */
  isEffective: boolean
}

/** The deputyships of an application that hold now or will, those that end first before the others. */
export async function listDeputyships(queryable: Queryable, applicationId: string): Promise<Deputyship[]> {
  const { rows } = await queryable.query<Deputyship>(
    `select d.deputyship_id as "deputyshipId", d.absent_id as "absentId", a.name as "absentName", d.deputy_id as "deputyId", p.name as "deputyName",
            d.starts_at as "startsAt", d.ends_at as "endsAt", may_stand_in(d.application_id, d.deputy_id, d.absent_id) as "isEffective"
       from deputies d join people a on a.person_id = d.absent_id join people p on p.person_id = d.deputy_id
      where d.application_id = $1 and d.ended_at is null and d.ends_at > now() order by d.ends_at, d.deputyship_id`,
    [applicationId],
  )
  return rows
}

/** Whether a person can be the deputy of another one now, by the rule that decisions ask too. */
export async function mayStandIn(queryable: Queryable, applicationId: string, deputyId: string, absentId: string): Promise<boolean> {
  const { rows } = await queryable.query<{ may: boolean }>('select may_stand_in($1, $2, $3) as may', [applicationId, deputyId, absentId])
  return rows[0]?.may === true
}

/** The instants of a period of business days of the application, its last day included; and whether it is over. */
export async function readPeriod(
  queryable: Queryable,
  applicationId: string,
  { from, until }: { from: string; until: string },
): Promise<{ startsAt: Date; endsAt: Date; isOver: boolean } | undefined> {
  const { rows } = await queryable.query<{ startsAt: Date; endsAt: Date; isOver: boolean }>(
    `select s."startsAt", s."endsAt", s."endsAt" <= now() as "isOver" from (
       select $2::date::timestamp at time zone time_zone as "startsAt", ($3::date + 1)::timestamp at time zone time_zone as "endsAt"
         from applications where application_id = $1) s`,
    [applicationId, from, until],
  )
  return rows[0]
}

type NewDeputyship = {
  applicationId: string
  deputyshipId: string
  absentId: string
  deputyId: string
  startsAt: Date
  endsAt: Date
  changeId: string
}

export async function insertDeputyship(trx: TrxClient, deputyship: NewDeputyship): Promise<void> {
  const { applicationId, deputyshipId, absentId, deputyId, startsAt, endsAt, changeId } = deputyship
  await trx.query(
    `insert into deputies (application_id, deputyship_id, absent_id, deputy_id, starts_at, ends_at, change_id) values ($1, $2, $3, $4, $5, $6, $7)`,
    [applicationId, deputyshipId, absentId, deputyId, startsAt, endsAt, changeId],
  )
}

/** Locks a deputyship that was not ended, until the transaction ends. */
export async function lockDeputyship(
  trx: TrxClient,
  applicationId: string,
  deputyshipId: string,
): Promise<{ absentId: string; deputyId: string } | undefined> {
  const { rows } = await trx.query<{ absentId: string; deputyId: string }>(
    `select absent_id as "absentId", deputy_id as "deputyId" from deputies
      where application_id = $1 and deputyship_id = $2 and ended_at is null and ends_at > now() for update`,
    [applicationId, deputyshipId],
  )
  return rows[0]
}

/** Ends a deputyship at this moment. Open pages read what they show again. */
export async function markEnded(trx: TrxClient, applicationId: string, deputyshipId: string, personId: string): Promise<void> {
  await trx.query('update deputies set ended_at = clock_timestamp(), ended_by = $3 where application_id = $1 and deputyship_id = $2', [
    applicationId,
    deputyshipId,
    personId,
  ])
  await trx.query(
    'update application_counters set change_number = change_number + 1, proposal_number = proposal_number + 1 where application_id = $1',
    [applicationId],
  )
}
