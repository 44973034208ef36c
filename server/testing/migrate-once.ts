// Applies the migrations to TEST_MIGRATE_URL once and prints the names that it applied: one process of migrate.test.ts.
import { migrate } from '#server/database/migrate.ts'
import { createPool } from '#server/database/pool.ts'

const pool = createPool({ databaseUrl: process.env['TEST_MIGRATE_URL'] ?? '', connectionsMax: 2, applicationName: 'migrate' })
process.stdout.write(JSON.stringify(await migrate(pool)))
await pool.end()
