import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { decodeSecretsKey } from '#server/secrets-at-rest/keyring.ts'
import { sandboxSecrets } from './sandbox-secrets.ts'

const MODULE = new URL('./sandbox-secrets.ts', import.meta.url).pathname
let folder: string
let file: string

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'countersign-secrets-'))
  file = path.join(folder, 'secrets.json')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Returns the different secrets that this many processes read when they are released together, all of them ready to read. */
async function readTogether(count: number): Promise<Set<string>> {
  const script = `import { sandboxSecrets } from '${MODULE}'
    process.once('message', () => process.send(sandboxSecrets('${folder}'), () => process.disconnect()))
    process.send('ready')`
  const children = Array.from({ length: count }, () =>
    spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] }),
  )
  await Promise.all(children.map((child) => once(child, 'message')))
  const answers = children.map((child) => once(child, 'message'))
  for (const child of children) child.send('go')
  return new Set((await Promise.all(answers)).map(([secrets]) => JSON.stringify(secrets)))
}

test('the same secrets for four first starts at once, in a file that only its owner reads', async () => {
  const seen = await readTogether(4)
  assert.equal(seen.size, 1)
  assert.deepEqual([...seen], [JSON.stringify(sandboxSecrets(folder))])
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.deepEqual(readdirSync(folder), ['secrets.json'])
  assert.ok(decodeSecretsKey(sandboxSecrets(folder).SECRETS_KEY))
})

for (const content of ['', '{', '{}', '{"TOKEN_SECRET":"t","SESSION_SECRET":"s"}']) {
  test(`an error, and the file unchanged, for a damaged file: ${JSON.stringify(content)}`, () => {
    writeFileSync(file, content)
    assert.throws(() => sandboxSecrets(folder), /secrets\.json is damaged: restore it, or delete/)
    assert.equal(readFileSync(file, 'utf8'), content)
  })
}
