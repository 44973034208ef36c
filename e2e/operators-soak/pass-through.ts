import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { OperatorSettings } from '#server/operators/settings/operator-settings.ts'

const ADMIN = fileURLToPath(new URL('../../server/admin.ts', import.meta.url))
/** Short, so that silence costs little; a busy machine must not make healthy answers late. */
const CALL_TIMEOUT_MS = 3_000
/** Settings are in force in every process within a second. */
const SETTINGS_MS = 1_500

/** Sets these operators by the command that an installation uses, and returns once every process has the settings. */
export async function setOperators(all: readonly OperatorSettings[], dataFolder: string): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'countersign-soak-'))
  const timeouts = { submitTimeoutMs: CALL_TIMEOUT_MS, queryTimeoutMs: CALL_TIMEOUT_MS }
  for (const [index, { operator, protocol, document }] of all.entries()) {
    const file = path.join(folder, `${index}.json`)
    await writeFile(file, JSON.stringify({ ...document, ...timeouts }))
    const words = ['set-operator', '--operator', operator, '--protocol', protocol, '--file', file]
    await promisify(execFile)(process.execPath, ['--disable-warning=ExperimentalWarning', ADMIN, ...words], {
      env: { ...process.env, DATA_DIR: dataFolder },
    })
  }
  await rm(folder, { recursive: true, force: true })
  await delay(SETTINGS_MS)
}
