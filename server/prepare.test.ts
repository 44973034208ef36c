import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
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

/** A folder with the programs of a start, whose lock file requires one package beside those of development, and what is installed of it. */
function makeCheckout(installed: object): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'countersign-unbuilt-'))
  for (const name of ['launch.mjs', 'prepare.mjs', 'process'])
    cpSync(new URL(`./${name}`, import.meta.url), path.join(folder, 'server', name), { recursive: true })
  mkdirSync(path.join(folder, 'node_modules/node/bin'), { recursive: true })
  symlinkSync(process.execPath, path.join(folder, 'node_modules/node/bin/node'))
  const needed = { 'node_modules/needed': { version: '1.0.0' } }
  const lockOf = (packages: object) => JSON.stringify({ packages: { '': {}, ...packages } })
  const development = { 'node_modules/tests-only': { version: '1.0.0', dev: true } }
  writeFileSync(path.join(folder, 'package-lock.json'), lockOf({ ...needed, ...development }))
  writeFileSync(path.join(folder, 'node_modules/.package-lock.json'), lockOf(installed))
  return folder
}

test('exit code 1 and the command that builds, without an installation: production without a build and without what only development needs', () => {
  const folder = makeCheckout({ 'node_modules/needed': { version: '1.0.0' } })
  try {
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

test('nothing installed for production that only development needs', () => {
  const folder = makeCheckout({})
  const programs = mkdtempSync(path.join(tmpdir(), 'countersign-npm-'))
  try {
    // An npm that installs nothing and notes what it was asked.
    writeFileSync(path.join(programs, 'npm'), `#!/bin/sh\necho "$@" > '${programs}/asked'\n`, { mode: 0o755 })
    const { status } = spawnSync(process.execPath, [path.join(folder, 'server/launch.mjs')], {
      encoding: 'utf8',
      env: { PATH: programs, NODE_ENV: 'production' },
    })
    assert.equal(status, 1)
    const asked = readFileSync(path.join(programs, 'asked'), 'utf8').trim().split(' ')
    assert.ok(asked.includes('ci') && asked.includes('--omit=dev') && !asked.includes('--include=dev'), asked.join(' '))
  } finally {
    for (const each of [folder, programs]) rmSync(each, { recursive: true })
  }
})
