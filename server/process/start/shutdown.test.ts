import assert from 'node:assert/strict'
import { test } from 'node:test'
import { launchService, type Service } from '#server/testing/service/start-service.ts'
import { waitUntil } from '#server/testing/wait-until.ts'

const FOLDER = new URL('../../', import.meta.url).pathname

/** A process whose steps and listeners print their names; `more` runs after they were added. It ends only through its shutdown. */
function startProgram(more: string, signals = "['SIGTERM', 'SIGINT']"): Promise<Service> {
  return launchService({
    program: [
      '--disable-warning=ExperimentalWarning',
      '--input-type=module',
      '-e',
      `import { createLogger } from '${FOLDER}logger.ts'
       import { createShutdown } from '${FOLDER}process/start/shutdown.ts'
       const ending = createShutdown(createLogger('silent'), ${signals})
       const print = (text) => process.stdout.write(text + '\\n')
       const step = (name, work = async () => undefined) => ending.add(name, async () => { print(name); await work() })
       ending.addBeginListener(() => print('begins ' + ending.hasBegun()))
       ending.addForcedListener(() => print('forced'))
       setInterval(() => undefined, 1_000)
       ${more}
       print('started')`,
    ],
  })
}

const linesOf = (output: string) => output.trim().split('\n')

test('the steps one after the other, the last one added first, each though another one failed, and then the exit code that was named', async () => {
  const program = await startProgram(`
    step('first')
    step('second', () => new Promise((resolve) => setTimeout(() => { print('second has ended'); resolve() }, 30)))
    step('third', () => Promise.reject(new Error('a bug')))
    ending.begin(7)
    ending.begin(9)`)
  assert.equal(await program.ended, 7)
  assert.deepEqual(linesOf(program.output()), ['begins true', 'third', 'started', 'second', 'second has ended', 'first'])
})

for (const signal of ['SIGTERM', 'SIGINT'] as const)
  test(`exit code 0 after every step for ${signal}`, async () => {
    const program = await startProgram(`step('step')`)
    await waitUntil('it has started', () => program.output().includes('started'))
    program.kill(signal)
    assert.equal(await program.ended, 0)
    assert.deepEqual(linesOf(program.output()), ['started', 'begins true', 'step'])
  })

test('exit code 1 at once for a second signal during a step that does not end, after what must not wait', async () => {
  const program = await startProgram(`step('endless', () => new Promise(() => undefined))`)
  await waitUntil('it has started', () => program.output().includes('started'))
  program.kill('SIGTERM')
  await waitUntil('the step runs', () => program.output().includes('endless'))
  program.kill('SIGINT')
  assert.equal(await program.ended, 1)
  assert.deepEqual(linesOf(program.output()), ['started', 'begins true', 'endless', 'forced'])
})

test('exit code 1 after 15 s for a step that does not end, and not earlier', async () => {
  const program = await startProgram(
    `step('endless', () => new Promise(() => undefined))
     const { mock } = await import('node:test')
     mock.timers.enable({ apis: ['setTimeout'] })
     ending.begin(0)
     mock.timers.tick(14_999)
     print('waits')
     mock.timers.tick(1)`,
  )
  assert.equal(await program.ended, 1)
  assert.deepEqual(linesOf(program.output()), ['begins true', 'endless', 'waits', 'forced'])
})

test('a signal that is not named changes nothing: a child that its parent asks to end ignores the Ctrl-C of both', async () => {
  const program = await startProgram(`process.on('SIGINT', () => print('interrupted'))`, "['SIGTERM']")
  await waitUntil('it has started', () => program.output().includes('started'))
  program.kill('SIGINT')
  await waitUntil('the signal arrives', () => program.output().includes('interrupted'))
  program.kill('SIGTERM')
  assert.equal(await program.ended, 0)
  assert.deepEqual(linesOf(program.output()), ['started', 'interrupted', 'begins true'])
})
