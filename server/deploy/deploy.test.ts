import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { loadConfig } from '#server/config.ts'
import { createLogger } from '#server/logger.ts'
import { measureInstallation } from '#server/process/measure-installation.ts'
import { noteBackup } from '#server/process/note-backup.ts'
import { createRuntime } from '#server/runtime.ts'
import { createTestDatabase } from '#server/testing/database.ts'

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

/** Expressions of the dashboard: by panel, with the interval that Grafana fills in. */
function dashboardExpressions(): { title: string; expr: string }[] {
  const { panels }: { panels: { title: string; targets: { expr: string }[] }[] } = JSON.parse(read('grafana-dashboard.json'))
  return panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ title, expr: expr.replaceAll('$__rate_interval', '5m') })))
}

test('no complaint of promtool about the expressions of the dashboard, where it is installed', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'countersign-dashboard-'))
  const rules = dashboardExpressions().map(({ expr }, index) => ({ record: `panel:${index}`, expr }))
  assert.ok(rules.length > 20)
  const file = path.join(folder, 'rules.yml')
  // JSON is YAML.
  await writeFile(file, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }))
  assert.equal(check('promtool', 'check', 'rules', file) ?? '', '')
  await rm(folder, { recursive: true })
})

test('in /metrics of a worker: every metric of the service that an alert or the dashboard names', async () => {
  const database = await createTestDatabase()
  const runtime = await createRuntime({
    config: loadConfig({ ROLE: 'worker' }),
    databaseUrl: database.url,
    logger: createLogger('silent'),
    operatorDefaults: [],
  })
  measureInstallation(runtime)
  await noteBackup(database.pool, { kind: 'backup', happenedAt: new Date(0), note: '' }, new Date())
  const { body } = await runtime.metrics.write()
  await runtime.close()
  await database.drop()
  const written = new Set([...body.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name))
  const named = `${read('prometheus-rules.yml')} ${dashboardExpressions()
    .map(({ expr }) => expr)
    .join(' ')}`.match(/\b(countersign|nodejs|process)_[a-z0-9_]+/g)
  const unknown = [...new Set(named)].filter((name) => !written.has(name) && !written.has(name.replace(/_(bucket|sum|count)$/, '')))
  assert.deepEqual(unknown, [])
  assert.ok((named?.length ?? 0) > 25)
  assert.match(body, /^countersign_oldest_waiting_seconds\{kind="work"\} 0$/m)
  assert.match(body, /^countersign_backup_age_seconds\{kind="backup"\} \d{9,}/m)
})

test('no panel of the dashboard over another, and each with a number and a title of its own', () => {
  type Panel = { id: number; title: string; gridPos: { x: number; y: number; w: number; h: number } }
  const { panels }: { panels: Panel[] } = JSON.parse(read('grafana-dashboard.json'))
  assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length)
  assert.equal(new Set(panels.map(({ title }) => title)).size, panels.length)
  for (const { title, gridPos: a } of panels) {
    assert.ok(a.x + a.w <= 24, title)
    const over = panels.filter(
      ({ title: other, gridPos: b }) => other !== title && a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h,
    )
    assert.deepEqual(
      over.map((each) => each.title),
      [],
    )
  }
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
