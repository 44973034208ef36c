// `npm run schema`: migrates an empty database and writes what it looks like to server/database/schema.sql.
import { writeFile } from 'node:fs/promises'
import { createPool } from '#server/database/pool.ts'
import { describeSchema } from './describe-schema.ts'
import { startTestPostgres } from './postgres.ts'

const postgres = await startTestPostgres()
try {
  const databaseUrl = postgres.url.replace(/\/postgres$/, '/countersign_template')
  const pool = createPool({ databaseUrl, connectionsMax: 1, applicationName: 'schema' })
  await writeFile(new URL('../database/schema.sql', import.meta.url), await describeSchema(pool))
  await pool.end()
} finally {
  await postgres.stop()
}
