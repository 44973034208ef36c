import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { csv, MTN_HEADER, mtnRow } from '../testing/statements.ts'
import type { ReadingWallet } from './statement-lines.ts'
import { readInThread } from './statement-reader.ts'

const WALLET: ReadingWallet = {
  ...{ operator: 'MOMOCM', currency: 'XAF', number: null, ownNumbers: [], zone: 'Africa/Douala', cutoffMinute: 0, mapped: [] },
  nowMs: Date.parse('2026-11-06T00:00:00Z'),
}
const LINES = 22_000
const PIECE = 1_000_000
/** Of the event loop: longer than reading a chunk takes. */
const TURNS = 50_000
const line = (number: number) =>
  mtnRow({ Id: String(number), Date: '2026-11-05 10:00:00', Status: 'Successful', Type: 'Debit', To: 'FRI:1/X', Amount: '5' })
const text = csv([MTN_HEADER, ...Array.from({ length: LINES }, (_, number) => line(number))])

async function* piecesOf(whole: string, state: { isEnded: boolean } = { isEnded: false }) {
  const bytes = Buffer.from(whole)
  try {
    for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE)
  } finally {
    state.isEnded = true
  }
}

/** Counts how many chunks are stored at once; each takes some turns of the event loop. */
function slowStore({ failAt = 0, turns = TURNS }: { failAt?: number; turns?: number } = {}) {
  const seen = { running: 0, most: 0, chunks: 0, ids: [] as string[] }
  const store = async ({ lines }: { lines: { columns: string[] } }) => {
    seen.running++
    seen.most = Math.max(seen.most, seen.running)
    const number = ++seen.chunks
    for (let waited = 0; waited < turns; waited++) await turn()
    seen.ids.push(...(lines.columns[0] ?? '').slice(1, -1).split(','))
    seen.running--
    if (number === failAt) throw new Error('the disk is full')
  }
  return { seen, store }
}

test('every line once and in order, one chunk at a time, while the next is read', async () => {
  const { seen, store } = slowStore()
  const read = await readInThread(piecesOf(text), { wallet: WALLET, columns: ['operator_id'] }, store)
  assert.ok(read.ok)
  assert.equal(read.value.lines, LINES)
  assert.deepEqual([seen.running, seen.most], [0, 1])
  assert.ok(seen.chunks > 2)
  assert.deepEqual(
    seen.ids,
    Array.from({ length: LINES }, (_, number) => String(number)),
  )
})

test('the error of a chunk that could not be stored, and nothing more is stored or fetched', async () => {
  const pieces = { isEnded: false }
  const { seen, store } = slowStore({ failAt: 2 })
  await assert.rejects(readInThread(piecesOf(text, pieces), { wallet: WALLET, columns: ['operator_id'] }, store), /the disk is full/)
  assert.deepEqual([seen.running, seen.chunks, pieces.isEnded], [0, 2, true])
})

test('the error of a piece that cannot be fetched, after the chunk that is being stored: nothing is written behind a rollback', async () => {
  async function* failing() {
    let number = 0
    for await (const piece of piecesOf(text)) {
      if (++number > 3) throw new Error('the connection is gone')
      yield piece
    }
  }
  const { seen, store } = slowStore({ turns: TURNS * 10 })
  await assert.rejects(readInThread(failing(), { wallet: WALLET, columns: ['operator_id'] }, store), /the connection is gone/)
  assert.equal(seen.running, 0)
  assert.ok(seen.chunks > 0)
})
