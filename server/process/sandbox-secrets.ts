import { linkSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { randomSecret } from '#server/config.ts'
import { makeDataFolder, writePrivateFile } from './instance.ts'

const sandboxSecretsSchema = z.object({ TOKEN_SECRET: z.string(), SESSION_SECRET: z.string(), SECRETS_KEY: z.string() })
type SandboxSecrets = z.infer<typeof sandboxSecretsSchema>

/**
 * The sandbox's own secrets, random and stored in DATA_DIR/secrets.json, so that sessions, tokens and encrypted values in
 * the database survive a restart. Two first starts at once get the same ones. Throws an Error with one sentence when the
 * file is there and cannot be used: new secrets in its place would make the database unreadable.
 */
export function sandboxSecrets(dataDirectory: string): SandboxSecrets {
  const file = path.join(dataDirectory, 'secrets.json')
  const stored = readSandboxSecrets(dataDirectory)
  if (stored) return stored
  makeDataFolder(dataDirectory)
  const secrets: SandboxSecrets = { TOKEN_SECRET: randomSecret(), SESSION_SECRET: randomSecret(), SECRETS_KEY: randomSecret() }
  const unfinished = `${file}.${process.pid}`
  writePrivateFile(unfinished, format(secrets))
  try {
    // Unlike a renaming, a link never replaces what another first start has written meanwhile.
    linkSync(unfinished, file)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  } finally {
    rmSync(unfinished, { force: true })
  }
  return readSandboxSecrets(dataDirectory) ?? secrets
}

/** The stored secrets of a sandbox; undefined when it has none yet. Throws an Error with one sentence for a damaged file. */
export function readSandboxSecrets(dataDirectory: string): SandboxSecrets | undefined {
  const file = path.join(dataDirectory, 'secrets.json')
  const text = readIfThere(file)
  if (text === undefined) return undefined
  const stored = sandboxSecretsSchema.safeParse(parseJson(text))
  if (!stored.success) throw new Error(`${file} is damaged: restore it, or delete ${dataDirectory} to begin a new sandbox.`)
  return stored.data
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw new Error(`${file} cannot be read; the sandbox needs its secrets.`, { cause: error })
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // A damaged file: the caller refuses it with a sentence.
    return undefined
  }
}

function format(secrets: SandboxSecrets): string {
  return `${JSON.stringify(secrets, null, 2)}\n`
}
