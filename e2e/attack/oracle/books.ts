import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { ROOT } from '#server/testing/service/start-service.ts'

/** Runs `npm run verify` on this database. Returns its output when the books do not balance, otherwise nothing. */
export async function verifyBooks(databaseUrl: string): Promise<string[]> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', 'server/verify.ts'], {
    cwd: ROOT,
    env: { ...process.env, DATABASE_URL: databaseUrl },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const [output, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), exited])
  return code === 0 ? [] : [...output.trim().split('\n'), ...errors.trim().split('\n')].filter(Boolean).slice(0, 20)
}
