import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { Secret, TOTP } from 'otpauth'
import { expect, type Locator, type Page } from 'playwright/test'
import type { Role } from '#lib/people/permissions.ts'
import { createApplication } from '#server/applications/create-application.ts'
import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { createPool, type Pool } from '#server/database/pool.ts'
import { createPerson } from '#server/people/accounts.ts'
import { readSandboxSecrets } from '#server/process/sandbox-secrets.ts'
import { createKeyring, publishKeyring } from '#server/secrets-at-rest/keyring.ts'
import { must } from '#server/testing/partner.ts'
import { readSandbox, SANDBOX_FOLDER_VARIABLE, type SandboxPerson } from './sandbox.ts'

/** The sandbox's database and keys, for what pages cannot do: people for one test, a block. */
export async function sandboxPool(): Promise<Pool> {
  const folder = process.env[SANDBOX_FOLDER_VARIABLE] ?? '.data'
  const databaseUrl = await readFile(path.join(folder, 'postgres.url'), 'utf8')
  publishKeyring(createKeyring({ current: readSandboxSecrets(folder)?.SECRETS_KEY ?? '', previous: [] }))
  return createPool({ databaseUrl: databaseUrl.trim(), connectionsMax: 2, applicationName: 'e2e' })
}

/** Creates an empty application with a unique name, by default with UTC days. */
export async function newApplication(
  pool: Pool,
  requiresSecondFactor = false,
  timeZone = 'UTC',
): Promise<{ applicationId: string; slug: string; name: string }> {
  const name = `Prudence ${randomUUID().slice(0, 8)}`
  const { applicationId } = must(await createApplication(pool, { name, requiresSecondFactor, timeZone, actor: SYSTEM_ACTOR }))
  return { applicationId, name, slug: name.toLowerCase().replaceAll(' ', '-') }
}

/** Creates a person for one test, by default in the sandbox's first application. */
export async function newPerson(pool: Pool, roles: readonly Role[], applicationId?: string, name = 'Nadia Test'): Promise<SandboxPerson> {
  const sandbox = readSandbox().applications[0]
  const { rows } = await pool.query<{ application_id: string; name: string; slug: string }>(
    'select application_id, name, slug from applications where application_id = $1 or ($1 is null and api_id = $2)',
    [applicationId ?? null, sandbox?.apiId],
  )
  const application = rows[0]
  if (!application) throw new Error('No such application in the sandbox')
  const email = `${randomUUID()}@example.com`
  const created = must(await createPerson(pool, { applicationId: application.application_id, email, name, roles, actor: SYSTEM_ACTOR }))
  return {
    id: created.personId,
    name,
    email,
    password: created.password ?? '',
    roles: [...roles],
    application: application.name,
    slug: application.slug,
  }
}

/** Records that the operator of a final transaction reported the opposite of what is stored, and did so again when it was asked. */
export async function storeContradiction(pool: Pool, transactionId: string): Promise<void> {
  await pool.query(
    `with found as (
       select application_id, transaction_id, status, case status when 'SUCCESS' then 'failed' else 'succeeded' end as said
         from transactions where transaction_id = $1)
     insert into operator_contradictions (application_id, transaction_id, number, source, said, stored_status, http_status, answer, at)
       select f.application_id, f.transaction_id, n.number, n.source, f.said, f.status, 200, '{}', clock_timestamp()
         from found f cross join (values (1, 'callback'), (2, 'query')) n (number, source)`,
    [transactionId],
  )
}

const PERIOD_MS = 30_000
const MARGIN_MS = 5_000

/** A second factor: each call returns a code of a later time step than the one before, and waits only if that step is not accepted yet. */
export function deviceOf(secret: string): () => Promise<string> {
  const totp = new TOTP({ secret: Secret.fromBase32(secret.replace(/\s/g, '')) })
  let lastStep = 0
  return async () => {
    const nowMs = Date.now()
    const step = Math.floor(nowMs / PERIOD_MS)
    const isLate = nowMs % PERIOD_MS > PERIOD_MS - MARGIN_MS
    lastStep = lastStep === 0 ? step - (isLate ? 0 : 1) : Math.max(lastStep + 1, step)
    const acceptedFromMs = (lastStep - 1) * PERIOD_MS
    await expect.poll(() => Date.now(), { timeout: PERIOD_MS }).toBeGreaterThanOrEqual(acceptedFromMs)
    return totp.generate({ timestamp: lastStep * PERIOD_MS })
  }
}

/** Confirms the first proposal in the list, or the one in `row`, in the dialog that asks for it. */
export async function confirmProposal(page: Page, row: Page | Locator = page): Promise<void> {
  await row.getByRole('button', { name: 'Confirm', exact: true }).first().click()
  const dialog = page.getByRole('dialog', { name: /^Confirm:/ })
  await dialog.getByRole('button', { name: 'Confirm', exact: true }).click()
  await expect(dialog).toHaveCount(0)
}
