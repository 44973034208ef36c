import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFairQueue, type Queued } from './fair-limiter.ts'

type Item = Queued & { id: string }
const item = (path: string): Item => ({ id: path, path: path.split('/').slice(0, 2) })
const always = () => true

function drain(queue: ReturnType<typeof createFairQueue<Item>>): string[] {
  const order: string[] = []
  for (let next = queue.take(always); next; next = queue.take(always)) order.push(next.id)
  return order
}

test('one turn for each network, and within a network for each name', () => {
  const queue = createFairQueue<Item>([100])
  for (const path of ['a/x/1', 'a/x/2', 'a/y/3', 'a/x/4', 'b/x/5', 'b/x/6']) assert.equal(queue.offer(item(path)), undefined)
  assert.deepEqual(drain(queue), ['a/x/1', 'b/x/5', 'a/y/3', 'b/x/6', 'a/x/2', 'a/x/4'])
  assert.equal(queue.size(), 0)
})

test('the next ready item; an item that is not ready keeps its place', () => {
  const queue = createFairQueue<Item>([100])
  for (const path of ['a/x/1', 'b/x/2']) queue.offer(item(path))
  assert.equal(queue.take(({ path }) => path[0] === 'b')?.id, 'b/x/2')
  assert.equal(
    queue.take(() => false),
    undefined,
  )
  assert.deepEqual(drain(queue), ['a/x/1'])
})

test('true once for an item that is removed; its empty branches are removed too', () => {
  const queue = createFairQueue<Item>([100])
  const [first, second] = [item('a/x/1'), item('a/x/2')]
  queue.offer(first)
  queue.offer(second)
  assert.equal(queue.remove(first), true)
  assert.equal(queue.remove(first), false)
  assert.equal(queue.remove(item('b/x/3')), false)
  assert.deepEqual(drain(queue), ['a/x/2'])
  assert.equal(queue.remove(second), false)
  assert.equal(queue.size(), 0)
})

test('the newest item of the longest branch is evicted at a full queue, never to its own branch', () => {
  const queue = createFairQueue<Item>([4])
  for (const path of ['a/x/1', 'a/x/2', 'a/y/3', 'b/x/4']) queue.offer(item(path))
  assert.equal(queue.offer(item('a/x/5'))?.id, 'a/x/5')
  assert.equal(queue.offer(item('c/x/6'))?.id, 'a/x/2')
  assert.equal(queue.offer(item('b/x/7'))?.id, 'b/x/7', 'no branch is longer by two')
  assert.equal(queue.size(), 4)
  assert.deepEqual(drain(queue), ['a/x/1', 'b/x/4', 'c/x/6', 'a/y/3'])
})

test('the name with the most items loses an item to another name in a full network', () => {
  const queue = createFairQueue<Item>([100, 3])
  for (const path of ['a/x/1', 'a/x/2', 'a/x/3']) queue.offer(item(path))
  assert.equal(queue.offer(item('a/y/4'))?.id, 'a/x/3')
  assert.equal(queue.offer(item('a/x/5'))?.id, 'a/x/5')
  assert.deepEqual(drain(queue), ['a/x/1', 'a/y/4', 'a/x/2'])
})

test('memory only for waiting entries, for any number of names', () => {
  const queue = createFairQueue<Item>([8, 4])
  for (let name = 0; name < 10_000; name++) queue.offer(item(`network ${name % 50}/name ${name}`))
  assert.equal(queue.size(), 8)
  assert.equal(drain(queue).length, 8)
})
