import type { Queryable } from '#server/database/pool.ts'
import type { SendResult } from './send-webhook.ts'

/** Serialises the test events of an application, and returns how many there were in the last hour. */
export async function countTestsOfHour(trx: Queryable, applicationId: string): Promise<number> {
  await trx.query(`select pg_advisory_xact_lock(hashtextextended('webhook test ' || $1, 0))`, [applicationId])
  const { rows } = await trx.query<{ count: bigint }>(
    `select count(*) as count from webhook_tests where application_id = $1 and requested_at > now() - interval '1 hour'`,
    [applicationId],
  )
  return Number(rows[0]?.count ?? 0)
}

/** Tests that are kept per application. More than the limit of an hour, which is counted from them. */
const KEPT = 50

/** Stores that a test event is about to be sent. */
export async function insertTest(
  trx: Queryable,
  { applicationId, testId, url, requestedBy }: { applicationId: string; testId: string; url: string; requestedBy: string },
): Promise<void> {
  await trx.query('insert into webhook_tests (application_id, test_id, url, requested_by) values ($1, $2, $3, $4)', [
    applicationId,
    testId,
    url,
    requestedBy,
  ])
  await trx.query(
    `delete from webhook_tests where application_id = $1 and test_id in (
       select test_id from webhook_tests where application_id = $1 order by requested_at desc, test_id offset $2)`,
    [applicationId, KEPT],
  )
}

/** Stores how it ended. */
export async function storeTestResult(queryable: Queryable, applicationId: string, testId: string, result: SendResult): Promise<void> {
  await queryable.query(
    `update webhook_tests set outcome = $3, http_status = $4, detail = $5, duration_ms = $6, first_byte_ms = $7, response_start = $8
      where application_id = $1 and test_id = $2`,
    [applicationId, testId, result.outcome, result.httpStatus, result.detail, result.durationMs, result.firstByteMs, result.responseStart],
  )
}

type TestRow = {
  testId: string
  url: string
  requestedBy: string | null
  requestedAt: Date
  outcome: string | null
  httpStatus: number | null
  detail: string | null
  durationMs: number | null
  firstByteMs: number | null
  responseStart: string | null
}

/** The newest test events. */
export async function selectTests(queryable: Queryable, applicationId: string, limit: number): Promise<TestRow[]> {
  const { rows } = await queryable.query<TestRow>(
    `select w.test_id as "testId", w.url, p.name as "requestedBy", w.requested_at as "requestedAt", w.outcome, w.http_status as "httpStatus",
            w.detail, w.duration_ms as "durationMs", w.first_byte_ms as "firstByteMs", w.response_start as "responseStart"
       from webhook_tests w left join people p on p.person_id = w.requested_by
      where w.application_id = $1 order by w.requested_at desc, w.test_id limit $2`,
    [applicationId, limit],
  )
  return rows
}
