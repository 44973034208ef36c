import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** Runs a shell script, such as a merchant writes with curl and openssl, and returns what it prints. A failing command ends it. */
export async function runScript(script: string, folder: string, variables: Readonly<Record<string, string>>): Promise<string> {
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], {
    cwd: folder,
    timeout: 30_000,
    env: { PATH: process.env['PATH'], HOME: folder, NODE_ENV: 'test', NO_PROXY: '127.0.0.1', ...variables },
  })
  return stdout.trim()
}
