import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { BodyBudget } from '../request/body-budget.ts'
import { watchMemoryPressure } from './memory-pressure.ts'

const MB = 1024 * 1024

function watched(t: TestContext, collectMs = 0) {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const state = { rssBytes: 200 * MB, nowMs: 0, collections: 0, savers: [] as boolean[] }
  const pressure = watchMemoryPressure({
    readRss: () => state.rssBytes,
    nowMs: () => state.nowMs,
    collect: () => {
      state.collections++
      state.nowMs += collectMs
    },
    setSaver: (isOn) => state.savers.push(isOn),
  })
  const pass = (ms: number) => {
    for (let passed = 0; passed < ms; passed += 200) {
      state.nowMs += 200
      t.mock.timers.tick(200)
    }
  }
  return { state, pressure, pass }
}

test('no collection below 260 MB', (t) => {
  const { state, pass } = watched(t)
  pass(10_000)
  assert.equal(state.collections, 0)
})

test('one collection of the heap per three seconds above 260 MB', (t) => {
  const { state, pass } = watched(t)
  state.rssBytes = 290 * MB
  pass(200)
  assert.equal(state.collections, 1)
  pass(2_800)
  assert.equal(state.collections, 1)
  pass(400)
  assert.equal(state.collections, 2)
})

test('V8 saves memory from 260 MB on, until the process holds less than 240', (t) => {
  const { state, pass } = watched(t)
  for (const megabytes of [259, 261, 241, 259, 239, 259]) {
    state.rssBytes = megabytes * MB
    pass(400)
  }
  assert.deepEqual(state.savers, [true, false])
})

test('ever fewer collections while they change nothing, and one per three seconds again once something changes', (t) => {
  const { state, pass } = watched(t)
  state.rssBytes = 290 * MB
  pass(60_000)
  // At 0, 3, 9, 21 and 45 seconds.
  assert.equal(state.collections, 5)
  pass(3_600_000)
  assert.equal(state.collections, 5 + 3 + 10)
  state.rssBytes = 299 * MB
  pass(200)
  assert.equal(state.collections, 19)
  pass(3_000)
  assert.equal(state.collections, 20)
})

test('one collection of the heap per second above 320 MB', (t) => {
  const { state, pass } = watched(t)
  state.rssBytes = 330 * MB
  pass(3_200)
  assert.equal(state.collections, 4)
})

test('a twentieth of the time at most for collections, also above 320 MB', (t) => {
  const { state, pass } = watched(t, 500)
  state.rssBytes = 330 * MB
  pass(60_000)
  assert.ok(state.collections >= 5 && state.collections <= 7, `${state.collections} collections`)
})

test('not short at 300 MB, which a process that has served every page holds without any attack', (t) => {
  const { state, pressure, pass } = watched(t)
  state.rssBytes = 300 * MB
  pass(10_000)
  assert.equal(pressure.isShort(), false)
})

test('no longer short once a process has held as much for minutes, and again when it holds more', (t) => {
  const { state, pressure, pass } = watched(t)
  state.rssBytes = 330 * MB
  pass(299_000)
  assert.equal(pressure.isShort(), true)
  pass(2_000)
  assert.equal(pressure.isShort(), false)
  state.rssBytes = 351 * MB
  pass(200)
  assert.equal(pressure.isShort(), true)
})

test('short above 320 MB, and no longer once memory is free', (t) => {
  const { state, pressure, pass } = watched(t)
  state.rssBytes = 326 * MB
  assert.equal(pressure.isShort(), false)
  pass(200)
  assert.equal(pressure.isShort(), true)
  state.rssBytes = 319 * MB
  pass(200)
  assert.equal(pressure.isShort(), false)
})

test('false for more than 64 KB at a time while memory is short, and small bodies are accepted', () => {
  let isShort = true
  const budget = new BodyBudget({ isMemoryShort: () => isShort })
  const owner = { kind: 'application', id: 'one' } as const
  assert.equal(budget.open(owner).raiseTo(64 * 1024), true)
  assert.equal(budget.open(owner).raiseTo(64 * 1024 + 1), false)
  isShort = false
  assert.equal(budget.open(owner).raiseTo(MB), true)
})
