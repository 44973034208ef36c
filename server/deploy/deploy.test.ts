import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const FOLDER = fileURLToPath(new URL('./', import.meta.url))
const UNITS = ['countersign-web.service', 'countersign-worker.service']
const read = (file: string) => readFileSync(FOLDER + file, 'utf8')

/** The program's complaints about a file; undefined if it is not installed. */
function check(program: string, ...args: string[]): string | undefined {
  const { error, status, stdout, stderr } = spawnSync(program, args, { cwd: FOLDER, encoding: 'utf8' })
  if (error) return undefined
  return status === 0 ? '' : `${program} ${args.join(' ')}: ${stdout}${stderr}`
}

test('no complaint of haproxy, promtool and systemd-analyze about their files, where they are installed', () => {
  const complaints = [
    check('haproxy', '-c', '-f', 'haproxy.cfg'),
    check('promtool', 'check', 'rules', 'prometheus-rules.yml'),
    ...UNITS.map((unit) => check('systemd-analyze', 'verify', '--man=no', `./${unit}`)),
  ]
  assert.deepEqual(
    complaints.filter((text) => text),
    [],
  )
})

test('no complaint of docker about the compose file, where its plugin is installed', () => {
  if (check('docker', 'compose', 'version') !== '') return
  assert.equal(check('docker', 'compose', '-f', 'compose.yml', 'config', '--quiet', '--no-env-resolution'), '')
})

test('settings of the service only: what units and containers set', () => {
  const known = new Set([...readFileSync(`${FOLDER}../config.ts`, 'utf8').matchAll(/^ {2}([A-Z_]+):/gm)].map(([, name]) => name))
  const unitSettings = UNITS.flatMap((unit) =>
    [...read(unit).matchAll(/^Environment=(.+)$/gm)].flatMap(([, text = '']) => text.match(/[A-Z_]+(?==)/g) ?? []),
  )
  const containerSettings = [
    ...`${read('compose.yml')}${read('Containerfile')}`.matchAll(/^ +environment: \{(.+)\}$|^ENV (.+)$/gm),
  ].flatMap(([, inCompose = '', inImage = '']) => `${inCompose} ${inImage}`.match(/\b[A-Z_]{4,}(?=[:=])/g) ?? [])
  assert.ok(unitSettings.length >= 8 && containerSettings.length >= 7, `${unitSettings} ${containerSettings}`)
  assert.deepEqual(
    [...unitSettings, ...containerSettings, ...(read('README.md').match(/^[A-Z_]+(?==)/gm) ?? [])].filter((name) => !known.has(name)),
    ['SECRETS_KEY'].filter((name) => !known.has(name)),
  )
})

test('not root, and a read-only file system: both units and the containers', () => {
  for (const unit of UNITS) {
    const text = read(unit)
    for (const line of ['User=countersign', 'ProtectSystem=strict', 'NoNewPrivileges=yes', 'CapabilityBoundingSet='])
      assert.ok(text.includes(`\n${line}\n`))
  }
  for (const line of ['user: "10001"', 'read_only: true', 'cap_drop: [ALL]']) assert.ok(read('compose.yml').includes(line))
})
