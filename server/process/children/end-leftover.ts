// Ends the embedded PostgreSQL that a crashed service left running, when no restart follows that would take it over.
import path from 'node:path'
import { processEnvironment } from '#server/config.ts'
import { endLeftoverPostgres } from '#server/database/embedded/embedded.ts'
import { claimDataDirectory } from '../instance.ts'

const environment = processEnvironment()
if (!environment['DATABASE_URL']) {
  const dataDirectory = path.resolve(environment['DATA_DIR'] || '.data')
  const isOurs = await claimDataDirectory(dataDirectory).then(
    () => true,
    // biome-ignore lint/plugin/no-silent-error: if another process has claimed the folder meanwhile, the server in it is that one's.
    () => false,
  )
  if (isOurs) await endLeftoverPostgres(path.join(dataDirectory, 'postgres'))
}
