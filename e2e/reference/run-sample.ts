import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import type { SampleLanguage } from '#lib/reference.ts'

const run = promisify(execFile)

const LIMIT_MS = 60_000

type Program = { command: string; file: string }
const PROGRAMS: Record<Exclude<SampleLanguage, 'php'>, Program> = {
  curl: { command: 'bash', file: 'sample.sh' },
  // A module by its name: an example without an import uses await at its top level too.
  typescript: { command: process.execPath, file: 'sample.mts' },
  python: { command: 'python3', file: 'sample.py' },
}

/** Runs an example as it is shown, in a folder of its own, and returns what it prints. */
export async function runSample(
  language: Exclude<SampleLanguage, 'php'>,
  source: string,
  variables: Record<string, string>,
  files: Record<string, string> = {},
): Promise<string> {
  const { command, file } = PROGRAMS[language]
  const folder = await mkdtemp(path.join(tmpdir(), 'countersign-sample-'))
  try {
    for (const [name, text] of Object.entries({ ...files, [file]: source })) await writeFile(path.join(folder, name), text)
    const { stdout } = await run(command, [file], {
      cwd: folder,
      timeout: LIMIT_MS,
      env: { PATH: process.env['PATH'], HOME: folder, NODE_ENV: 'test', NO_PROXY: '127.0.0.1', ...variables },
    })
    return stdout
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
