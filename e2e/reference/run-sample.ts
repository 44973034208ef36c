import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { Engine } from 'php-parser'
import type { SampleLanguage } from '#lib/partner/reference.ts'

const run = promisify(execFile)

const LIMIT_MS = 60_000

type Program = { command: string; file: string }
const PROGRAMS: Record<SampleLanguage, Program> = {
  curl: { command: 'bash', file: 'sample.sh' },
  // A module by its name: an example without an import uses await at its top level too.
  typescript: { command: process.execPath, file: 'sample.mts' },
  python: { command: 'python3', file: 'sample.py' },
  php: { command: 'php', file: 'sample.php' },
}

/** Whether the examples of a language can run here. PHP is the only one that a machine may lack. */
export function isInstalled(language: SampleLanguage): boolean {
  return language !== 'php' || spawnSync(PROGRAMS.php.command, ['--version']).error === undefined
}

/** For the title of a test: whether the examples of this language run here as well. */
export function describeRun(language: SampleLanguage): string {
  return isInstalled(language) ? 'run as well' : `not run: ${PROGRAMS[language].command} is not installed`
}

/** Reads a PHP file. Throws for a syntax error. */
export function parsePhp(source: string): void {
  new Engine({ parser: { php7: true, suppressErrors: false } }).parseCode(source, PROGRAMS.php.file)
}

/** Runs an example as it is shown, in a folder of its own, and returns what it prints. */
export async function runSample(
  language: SampleLanguage,
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
