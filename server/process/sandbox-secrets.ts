import { mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { randomSecret } from '../config.ts'
import { writePrivateFile } from './private-file.ts'

const storedSecretsSchema = z.object({ TOKEN_SECRET: z.string(), SESSION_SECRET: z.string() })
export type SandboxSecrets = z.infer<typeof storedSecretsSchema>

/** The sandbox's own secrets, random and kept in DATA_DIR/secrets.json, so that sessions and tokens survive a restart. */
export function sandboxSecrets(dataDirectory: string): SandboxSecrets {
  const file = path.join(dataDirectory, 'secrets.json')
  try {
    return storedSecretsSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    // Absent, or not ours any more: new ones only end the sessions of a sandbox.
    const secrets = { TOKEN_SECRET: randomSecret(), SESSION_SECRET: randomSecret() }
    mkdirSync(dataDirectory, { recursive: true })
    writePrivateFile(file, `${JSON.stringify(secrets, null, 2)}\n`)
    return secrets
  }
}
