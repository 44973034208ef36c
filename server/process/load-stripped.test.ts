import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { NODE_FLAGS } from './node-settings.mjs'
import { stripAll } from './strip-types.mjs'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

before(() => stripAll())

/** Runs a program as the service is started. Returns what it prints. */
function run(program: string): string {
  const { stdout, stderr } = spawnSync(process.execPath, [...NODE_FLAGS, '--input-type=module', '--eval', program], {
    cwd: ROOT,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], NODE_ENV: 'production' },
  })
  assert.equal(stderr, '')
  return stdout.trim()
}

/** True once Node has stripped the types of a module: its compiler then stays in memory. */
const HAS_COMPILER = "process.moduleLoadList.some((name) => name.includes('amaro'))"

test('no compiler is in memory after modules of the service were loaded as the build stripped them, and a thread reads a file with the same flags', () => {
  const read = `
    const { createFileReader } = await import('#server/batches/read-file/file-reader.ts')
    const file = await createFileReader().read(new TextEncoder().encode('phoneNumber,amount\\n'), 'application')
    console.log(JSON.stringify([${HAS_COMPILER}, file.ok ? 'read' : file.error.kind]))`
  assert.deepEqual(JSON.parse(run(read)), [false, 'no_rows'])
})

test('a module that was changed after the build runs as it is now', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'countersign-stripped-'))
  const file = path.join(folder, 'changed.ts')
  try {
    for (const answer of ['first', 'second']) {
      writeFileSync(file, `export const answer: string = '${answer}'\n`)
      const load = `console.log((await import(${JSON.stringify(file)})).answer, ${HAS_COMPILER})`
      assert.equal(run(load), `${answer} true`)
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
})
