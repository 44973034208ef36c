import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'

const PREPARE = new URL('./prepare.mjs', import.meta.url).pathname
const SECRETS = [
  'DATABASE_URL',
  'DATABASE_REPLICA_URL',
  'TOKEN_SECRET',
  'SESSION_SECRET',
  'NEXTAUTH_SECRET',
  'SECRETS_KEY',
  'SECRETS_KEY_PREVIOUS',
  'METRICS_TOKEN',
  'OPERATOR_WAVE_SECRET',
]

test('no secret and no database address in the environment of install scripts and of the build', () => {
  const program = `import { environmentOfTheMachine } from '${PREPARE}'
    console.log(JSON.stringify(environmentOfTheMachine()))`
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
    env: {
      PATH: process.env['PATH'],
      NODE_ENV: 'production',
      HOME: '/home/x',
      ...Object.fromEntries(SECRETS.map((name) => [name, 'hidden'])),
    },
  })
  const passed = JSON.parse(stdout) as Record<string, string>
  assert.equal(passed['HOME'], '/home/x')
  assert.deepEqual(
    Object.keys(passed).filter((name) => passed[name] === 'hidden'),
    [],
  )
})

test('exit code 1 and the command that builds, without an installation: production without a build and without what only development needs', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'countersign-unbuilt-'))
  try {
    for (const name of ['launch.mjs', 'prepare.mjs', 'process'])
      cpSync(new URL(`./${name}`, import.meta.url), path.join(folder, 'server', name), { recursive: true })
    mkdirSync(path.join(folder, 'node_modules/node/bin'), { recursive: true })
    symlinkSync(process.execPath, path.join(folder, 'node_modules/node/bin/node'))
    const lockOf = (packages: object) => JSON.stringify({ packages: { '': {}, 'node_modules/needed': { version: '1.0.0' }, ...packages } })
    writeFileSync(path.join(folder, 'package-lock.json'), lockOf({ 'node_modules/tests-only': { version: '1.0.0', dev: true } }))
    writeFileSync(path.join(folder, 'node_modules/.package-lock.json'), lockOf({}))
    const { status, stdout, stderr } = spawnSync(process.execPath, [path.join(folder, 'server/launch.mjs')], {
      encoding: 'utf8',
      env: { PATH: '', NODE_ENV: 'production' },
    })
    assert.deepEqual([status, stdout], [1, ''])
    assert.match(stderr, /^The pages are not built: run npm run build/)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
