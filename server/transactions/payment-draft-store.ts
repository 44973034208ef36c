import type { Queryable } from '#server/database/pool.ts'

export type DraftOwner = { applicationId: string; personId: string }

/** A stored draft; `content` is as it was saved, perhaps by an earlier version. */
export type DraftRow = { externalId: string; originId: string | null; content: unknown; savedAt: Date }

const COLUMNS = `d.external_id as "externalId", d.origin_id as "originId", d.content, d.saved_at as "savedAt"`

/** A payment sent in another window is not a draft, even if it was saved after that. */
const NOT_SENT = `not exists (select 1 from transactions t where t.application_id = d.application_id and t.external_id = d.external_id)`

/** Returns the drafts of a person, the newest first, without those that were sent since. */
export async function selectDrafts(queryable: Queryable, { applicationId, personId }: DraftOwner): Promise<DraftRow[]> {
  const { rows } = await queryable.query<DraftRow>({
    name: 'select_payment_drafts',
    text: `select ${COLUMNS} from payment_drafts d where d.application_id = $1 and d.person_id = $2
        and ${NOT_SENT}
      order by d.saved_at desc, d.external_id`,
    values: [applicationId, personId],
  })
  return rows
}

/** One draft of a person; undefined if there is none with this identity. */
export async function selectDraft(queryable: Queryable, owner: DraftOwner, externalId: string): Promise<DraftRow | undefined> {
  const { rows } = await queryable.query<DraftRow>({
    name: 'select_payment_draft',
    text: `select ${COLUMNS} from payment_drafts d where d.application_id = $1 and d.person_id = $2 and d.external_id = $3`,
    values: [owner.applicationId, owner.personId, externalId],
  })
  return rows[0]
}

type StoredDraft = DraftOwner & { externalId: string; originId: string | null; content: object }

/** Stores a draft in place of an earlier state of it. Returns false if the person already has `draftsMax` others. */
export async function upsertDraft(queryable: Queryable, draft: StoredDraft, draftsMax: number): Promise<boolean> {
  const { rowCount } = await queryable.query({
    name: 'upsert_payment_draft',
    text: `insert into payment_drafts (application_id, person_id, external_id, origin_id, content)
      select $1, $2, $3, $4, $5
        where (select count(*) from payment_drafts d where d.application_id = $1 and d.person_id = $2 and d.external_id <> $3
                 and ${NOT_SENT}) < $6
      on conflict (application_id, person_id, external_id)
        do update set content = excluded.content, origin_id = excluded.origin_id, saved_at = excluded.saved_at`,
    values: [draft.applicationId, draft.personId, draft.externalId, draft.originId, JSON.stringify(draft.content), draftsMax],
  })
  return rowCount === 1
}

/** Removes a draft. False if there is none with this identity. */
export async function removeDraft(queryable: Queryable, owner: DraftOwner, externalId: string): Promise<boolean> {
  const { rowCount } = await queryable.query({
    name: 'remove_payment_draft',
    text: 'delete from payment_drafts where application_id = $1 and person_id = $2 and external_id = $3',
    values: [owner.applicationId, owner.personId, externalId],
  })
  return rowCount === 1
}
