import { createDirectory } from '#server/applications/directory.ts'
import { createPool } from '#server/database/pool.ts'
import { createKeyring, publishKeyring } from '#server/secrets-at-rest/keyring.ts'
import { createIntake } from '#server/transactions/intake.ts'
import { createBatchSubmitter } from '../rows/start-rows.ts'
import { ALL_CONNECTED } from './make-batch.ts'

// A process that submits batches until it is killed. Its argument: { databaseUrl, secretsKey }.
const plan = JSON.parse(process.argv[2] ?? '{}') as { databaseUrl: string; secretsKey: string }
publishKeyring(createKeyring({ current: plan.secretsKey, previous: [] }))
const pool = createPool({ databaseUrl: plan.databaseUrl, connectionsMax: 4, applicationName: 'submitter' })
const directory = await createDirectory({ pool })
createBatchSubmitter({ pool, directory, intake: createIntake({ pool }), connectors: ALL_CONNECTED, pollMs: 50, leaseMs: 300 }).start()
process.stdout.write('started\n')
