import { execFile, execFileSync } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { RELEASE } from '#server/database/release.ts'
import { findNewestRelease } from '#server/database/releases.ts'
import { ROOT } from '#server/testing/service/start-service.ts'

const run = promisify(execFile)
const RELEASE_FILE = 'server/database/release.ts'
const FUNCTION_FILE = 'server/transactions/sql/assert-same-count.sql'
const MIGRATIONS = 'server/database/migrations'

/** Two releases that follow each other. */
export type Neighbours = {
  older: string
  newer: string
  /** For the first line of the output. */
  description: string
  /** True if both have the build of this checkout, so that the addresses of its actions work in both. */
  haveSamePages: boolean
  remove(): Promise<void>
}

/**
 * Returns the checkouts of the release before and of this one: of the commit, or else of the newest release that was named. Where none was
 * named yet, this one is the older, and the newer is made of it: a changed function, a new column, and an index built while others write.
 */
export async function makeNeighbours(commit: string | undefined, say: (line: string) => void): Promise<Neighbours> {
  const before = commit ?? (await findNewestRelease())?.commit
  const folder = await mkdtemp(path.join(tmpdir(), 'countersign-release-'))
  const checkout = path.join(folder, 'checkout')
  const remove = () => rm(folder, { recursive: true, force: true, maxRetries: 5 })
  if (before === undefined) {
    await makeNext(checkout)
    const description = `release ${RELEASE.number} beside a made-up release ${RELEASE.number + 1}`
    return { older: ROOT, newer: checkout, description, haveSamePages: true, remove }
  }
  await run('git', ['clone', '--quiet', '--no-checkout', ROOT, checkout])
  await run('git', ['checkout', '--quiet', before], { cwd: checkout })
  say(`Installing and building ${before} …`)
  await run(process.execPath, ['server/launch.mjs', '--build-only'], { cwd: checkout, timeout: 900_000 })
  return { older: checkout, newer: ROOT, description: `${before} beside this checkout`, haveSamePages: false, remove }
}

/** A copy of this checkout, changed as the next release may change it. */
async function makeNext(checkout: string): Promise<void> {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8' })
  for (const file of listed.split('\0').filter(Boolean)) await cp(path.join(ROOT, file), path.join(checkout, file))
  await symlink(path.join(ROOT, 'node_modules'), path.join(checkout, 'node_modules'))
  await cp(path.join(ROOT, '.next'), path.join(checkout, '.next'), { recursive: true, filter: (source) => !source.includes('.next/cache') })
  await edit(path.join(checkout, RELEASE_FILE), (text) => text.replace(`number: ${RELEASE.number},`, `number: ${RELEASE.number + 1},`))
  await edit(path.join(checkout, FUNCTION_FILE), (text) => `${text}-- Changed by the next release.\n`)
  const migrations = path.join(checkout, MIGRATIONS)
  await writeFile(path.join(migrations, '9000_next_column.sql'), 'alter table transactions add column next_release text;\n')
  const index = 'create index concurrently transactions_next_release on transactions (next_release);\n'
  await writeFile(path.join(migrations, '9001_next_index.sql'), `-- concurrently\n${index}`)
}

async function edit(file: string, change: (text: string) => string): Promise<void> {
  const text = await readFile(file, 'utf8')
  const changed = change(text)
  if (changed === text) throw new Error(`${file} has changed: adapt the made-up release`)
  await writeFile(file, changed)
}
