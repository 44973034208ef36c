import { OPERATOR_CODES, OPERATORS } from '#lib/operators/operators.ts'
import { DEFAULT_POLICY_RULES } from '#lib/rules/approval-policy.ts'
import { digest, generateWebhookSecret } from '#server/credentials/secrets.ts'
import type { Pool } from '#server/database/pool.ts'
import { createTokens } from '#server/partner-auth/access-token.ts'
import { createKeyring } from '#server/secrets-at-rest/keyring.ts'
import { webhookSecretPlace } from '#server/secrets-at-rest/sealed-columns.ts'
import { TOKEN_SECRET } from './environment.ts'
import { SECRETS_KEY } from './server-process.ts'

/** A partner with its three credentials. */
export type Partner = { applicationId: string; apiId: string; apiKey: string; accessToken: string }

const FUNDING_MINOR = 1_000_000_000_000_000n

/**
 * Creates `count` applications, each with a key, a user, an allow list, the default approval policy and thirteen funded
 * deposit balances: what the real commands make, in a few statements. The ids differ in their last digits only, so that a
 * pgbench script can name them.
 */
export async function createPartners(pool: Pool, count: number): Promise<Partner[]> {
  const numbers = Array.from({ length: count }, (_, index) => 100_000_000_000 + index)
  const ids = numbers.map((number) => `00000000-0000-4000-8000-${number}`)
  const tokens = createTokens({ clock: { now: () => new Date() }, secret: TOKEN_SECRET })
  const partners = await Promise.all(
    ids.map(async (applicationId, index) => ({
      applicationId,
      apiId: `api-${numbers[index]}`,
      apiKey: `csk_${digest(applicationId).toString('base64url')}`,
      accessToken: await tokens.sign(applicationId, applicationId),
    })),
  )
  await pool.query(
    `insert into applications (application_id, name, api_id, webhook_networks)
       select a.id, 'Bench ' || a.api_id, a.api_id, '{127.0.0.0/8}' from unnest($1::uuid[], $2::text[]) as a (id, api_id)`,
    [ids, partners.map((partner) => partner.apiId)],
  )
  await pool.query(
    `insert into api_keys (application_id, api_key_id, name, key_prefix, key_hash)
       select k.id, k.id, 'bench', 'csk_bench', k.hash from unnest($1::uuid[], $2::bytea[]) as k (id, hash)`,
    [ids, partners.map((partner) => digest(partner.apiKey))],
  )
  await pool.query(
    `insert into api_users (application_id, api_user_id, username, password_hash) select u, u, 'bench-' || u, 'none' from unnest($1::uuid[]) as u`,
    [ids],
  )
  await pool.query(`insert into ip_allow_entries (application_id, network) select a, '127.0.0.0/8' from unnest($1::uuid[]) as a`, [ids])
  await pool.query(
    `insert into approval_policies (application_id, version, rules, activated_at) select a, 1, $2::jsonb, now() from unnest($1::uuid[]) as a`,
    [ids, JSON.stringify(DEFAULT_POLICY_RULES)],
  )
  const keyring = createKeyring({ current: SECRETS_KEY, previous: [] })
  await pool.query(
    `insert into webhook_secrets (application_id, webhook_secret_id, secret) select s.id, s.id, s.secret from unnest($1::uuid[], $2::text[]) as s (id, secret)`,
    [ids, ids.map((id) => keyring.seal(webhookSecretPlace(id, id), generateWebhookSecret()))],
  )
  await fundPartners(pool, ids)
  return partners
}

/** One funding per balance, with the amounts that every posting has (posting_amounts). */
async function fundPartners(pool: Pool, ids: string[]): Promise<void> {
  const currencies = OPERATOR_CODES.map((code) => OPERATORS[code].country.currency)
  await pool.query('insert into application_counters (application_id) select * from unnest($1::uuid[])', [ids])
  await pool.query(
    `insert into ledger_balances (application_id, operator, currency, deposit_minor, clearing_minor)
       select a, o.operator, o.currency, p.deposit_minor, p.clearing_minor
         from unnest($1::uuid[]) as a, unnest($2::text[], $3::text[]) as o (operator, currency), posting_amounts('fund', null, $4, 0, 0) p`,
    [ids, OPERATOR_CODES, currencies, FUNDING_MINOR],
  )
  await pool.query(
    `insert into ledger_postings (application_id, subject_id, kind, operator, currency, deposit_minor, clearing_minor, reason, at)
       select application_id, gen_random_uuid(), 'fund', operator, currency, deposit_minor, clearing_minor, 'bench', now()
         from ledger_balances where application_id = any ($1::uuid[])`,
    [ids],
  )
}
