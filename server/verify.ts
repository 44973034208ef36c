// Recounts everything from the raw rows and prints what differs: `npm run verify`. Exit code 1 when anything does.
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { createPool, NO_STATEMENT_LIMIT_MS } from './database/pool.ts'
import { verifyDatabase } from './reports/verify/verify-books.ts'

const databaseUrl = process.env['DATABASE_URL'] || (await sandboxUrl())
if (!databaseUrl) {
  process.stderr.write('There is no database to verify: set DATABASE_URL, or start the sandbox first (npm start).\n')
  process.exit(2)
}
const pool = createPool({ databaseUrl, connectionsMax: 1, applicationName: 'countersign verify', statementLimitMs: NO_STATEMENT_LIMIT_MS })
const problems = await verifyDatabase(pool)
await pool.end()
for (const problem of problems) process.stdout.write(`${problem}\n`)
process.stdout.write(
  problems.length === 0
    ? 'Verified: every balance, counter, roll-up, sequence, audit chain and certificate equals its recount.\n'
    : `${problems.length} differences.\n`,
)
process.exitCode = problems.length === 0 ? 0 : 1

/** A running sandbox leaves its database's address in its data folder. */
async function sandboxUrl(): Promise<string | undefined> {
  const file = path.join(process.env['DATA_DIR'] || '.data', 'postgres.url')
  return readFile(file, 'utf8').then(
    (text) => text.trim(),
    // biome-ignore lint/plugin/no-silent-error: without a file no sandbox is running, and the caller says what is missing.
    () => undefined,
  )
}
