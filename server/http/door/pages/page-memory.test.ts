import assert from 'node:assert/strict'
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { test } from 'node:test'
import { createPageMemory } from './page-memory.ts'

test('rendered again: the page that was not asked for longest, once the memory is full; the others are kept', async () => {
  // Two pages and their zipped copies fit.
  const memory = createPageMemory({ bytesMax: 2_500 })
  const rendered: string[] = []
  const read = async (url: string) => {
    const incoming = Object.assign(new IncomingMessage(new Socket()), { method: 'GET', url })
    const outcome = await memory.answer(incoming, new ServerResponse(incoming), async () => {
      rendered.push(url)
      return { status: 200, headers: [], body: Buffer.alloc(1_000, url) }
    })
    assert.equal(outcome, 'answered')
  }
  for (const url of ['/one', '/two', '/one', '/three', '/one', '/three', '/two']) await read(url)
  assert.deepEqual(rendered, ['/one', '/two', '/three', '/two'])
})
