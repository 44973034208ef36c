// Recounts everything from the raw rows and prints what differs: `npm run verify`. Exit code 1 when anything does.
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { verifyAuditChain } from './audit/verify-audit-chain.ts'
import { createPool, type Pool } from './database/pool.ts'
import { verifyBooks } from './reports/verify-books.ts'

const databaseUrl = process.env['DATABASE_URL'] ?? (await sandboxUrl())
if (!databaseUrl) {
  process.stderr.write('There is no database to verify: set DATABASE_URL, or start the sandbox first (npm start).\n')
  process.exit(2)
}
const pool = createPool({ databaseUrl, connectionsMax: 1, applicationName: 'countersign verify' })
const problems = await findProblems(pool)
await pool.end()
for (const problem of problems) process.stdout.write(`${problem}\n`)
process.stdout.write(problems.length === 0 ? 'Verified: every balance, counter, roll-up, sequence and audit chain equals its recount.\n' : `${problems.length} differences.\n`)
process.exitCode = problems.length === 0 ? 0 : 1

/** One snapshot for all checks, so that a database at work is verified as it stood at one instant. */
async function findProblems(verified: Pool): Promise<string[]> {
  const client = await verified.connect()
  try {
    await client.query('begin transaction isolation level repeatable read read only')
    const found = (await verifyBooks(client)).map((one) => `${one.check}: ${one.subject}: ${one.detail}`)
    const chains = await client.query<{ id: string }>('select distinct application_id as id from audit_entries')
    for (const { id } of chains.rows) {
      const result = await verifyAuditChain(client, id)
      if (!result.ok) found.push(`audit chain: ${id}: ${JSON.stringify(result.error, (_, value) => (typeof value === 'bigint' ? value.toString() : value))}`)
    }
    await client.query('commit')
    return found
  } finally {
    client.release()
  }
}

/** A running sandbox leaves its database's address in its data folder. */
async function sandboxUrl(): Promise<string | undefined> {
  const file = path.join(process.env['DATA_DIR'] ?? '.data', 'postgres.url')
  return readFile(file, 'utf8').then((text) => text.trim(), () => undefined)
}
