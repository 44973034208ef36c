import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { after, afterEach, before, test } from 'node:test'
import { type LauncherHarness, openLauncherHarness } from '#server/testing/service/launcher-harness.ts'
import { pidsOf } from '#server/testing/service/processes.ts'
import { PATIENTLY } from '#server/testing/service/start-service.ts'
import { waitUntil } from '#server/testing/wait-until.ts'

let launcher: LauncherHarness

before(async () => {
  launcher = await openLauncherHarness()
})
afterEach(() => launcher.stopAll())
after(() => launcher.close())

test('exit code 139 at the third crash of the service, after two restarts', async () => {
  const one = await launcher.launch()
  await one.untilReady()
  const crashed: number[] = []
  for (const [signal, count] of [
    ['SIGSEGV', 1],
    ['SIGABRT', 2],
  ] as const) {
    const pid = await launcher.serviceOf(one, crashed)
    crashed.push(pid)
    process.kill(pid, signal)
    await waitUntil('the restart', async () => one.output().includes(`"crashes":${count}`), PATIENTLY)
    await launcher.serviceOf(one, crashed)
    await one.untilReady()
    assert.match(one.output(), new RegExp(`The service crashed \\(signal ${signal}\\); it is restarted in \\d`))
    const { text } = await one.get('/metrics')
    assert.match(text, new RegExp(`^countersign_crashes_total\\{process="service"\\} ${count}$`, 'm'))
  }
  process.kill(await launcher.serviceOf(one, crashed), 'SIGSEGV')
  assert.equal(await one.ended, 139)
  assert.match(one.output(), /for the third time within a minute; it is not restarted/)
  await waitUntil('PostgreSQL and the simulator are gone too', async () => pidsOf(launcher.folder).length === 0, PATIENTLY)
})

test('exit code 0 and no process left: a signal while the restart is pending', async () => {
  const one = await launcher.launch()
  await one.untilReady()
  process.kill(await launcher.serviceOf(one), 'SIGSEGV')
  await waitUntil('the crash', async () => one.output().includes('it is restarted in'), PATIENTLY)
  one.kill('SIGTERM')
  assert.equal(await one.ended, 0)
  assert.deepEqual(pidsOf(launcher.folder), [])
})

test('exit code 0 or 143 and no process left: a signal while the service is being restarted', async () => {
  const one = await launcher.launch()
  await one.untilReady()
  const crashed = await launcher.serviceOf(one)
  process.kill(crashed, 'SIGSEGV')
  await launcher.serviceOf(one, [crashed])
  one.kill('SIGTERM')
  // It may not have got to the point where it ends in order: then the signal itself ends it.
  assert.ok([0, 143].includes((await one.ended) ?? -1))
})

test('exit code 1 without a restart: a bad configuration, and a taken port', async () => {
  const bad = await launcher.launch({ WEB_CONCURRENCY: 'many' })
  assert.equal(await bad.ended, 1)
  assert.equal(bad.output(), 'WEB_CONCURRENCY must be a whole number.\n')
  const other = createServer().listen(launcher.port, '127.0.0.1')
  await once(other, 'listening')
  try {
    const taken = await launcher.launch()
    assert.equal(await taken.ended, 1)
    assert.match(taken.output(), new RegExp(`PORT ${launcher.port} is taken by another program; set PORT to a free one\\.\n$`))
    assert.doesNotMatch(taken.output(), /restarted/)
  } finally {
    other.close()
  }
})
