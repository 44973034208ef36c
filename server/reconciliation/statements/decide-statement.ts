import { err, type Result } from '#lib/result.ts'
import type { PersonCommandActor } from '#server/audit/command-actor.ts'
import { done, runCommand } from '#server/audit/run-command.ts'
import type { Pool } from '#server/database/pool.ts'
import { announceClose } from '../close-revision-store.ts'
import { lockStatementFile, updateDecided } from './statement-store.ts'

type Decide = { applicationId: string; fileId: string; actor: PersonCommandActor }
type Failure = 'not_found' | 'not_ready'

/** Imports a file that was checked: a worker stores its lines and matches them. A second request finds it imported and changes nothing. */
export function importStatement(pool: Pool, { applicationId, fileId, actor }: Decide): Promise<Result<void, Failure | 'not_permitted'>> {
  return runCommand<void, Failure>(pool, { applicationId, actor }, 'reconciliation:work', async (trx) => {
    const file = await lockStatementFile(trx, applicationId, fileId)
    if (!file) return err('not_found')
    if (file.state === 'importing' || file.state === 'imported') return done(null)
    if (file.state !== 'ready') return err('not_ready')
    await updateDecided(trx, { applicationId, fileId, state: 'importing', personId: actor.id })
    await announceClose(trx, applicationId)
    const details = { name: file.fileName, wallet: file.wallet, lines: file.lineCount }
    return done({ action: 'statement.imported', subject: fileId, details })
  })
}

/** Takes back a file that was not imported. Its bytes stay, as evidence of what was looked at. */
export function withdrawStatement(pool: Pool, { applicationId, fileId, actor }: Decide): Promise<Result<void, Failure | 'not_permitted'>> {
  return runCommand<void, Failure>(pool, { applicationId, actor }, 'reconciliation:work', async (trx) => {
    const file = await lockStatementFile(trx, applicationId, fileId)
    if (!file) return err('not_found')
    if (file.state !== 'ready' && file.state !== 'unmapped') return err('not_ready')
    await updateDecided(trx, { applicationId, fileId, state: 'withdrawn', personId: actor.id })
    await announceClose(trx, applicationId)
    return done({ action: 'statement.withdrawn', subject: fileId, details: { name: file.fileName, wallet: file.wallet } })
  })
}
