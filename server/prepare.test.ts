import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
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
