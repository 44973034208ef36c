import { setPriority } from 'node:os'
import { type MessagePort, parentPort } from 'node:worker_threads'
import { encodeLines } from './encode-lines.ts'
import { readStatement } from './read-statement.ts'
import type { FromThread, ToThread } from './statement-reader.ts'

/** A third of the share of a thread that answers payments. */
const NICE = 5

/** Sends a message to the process that reads, and waits for its answer: neither side is ever more than one piece ahead. */
async function ask(port: MessagePort, message: FromThread): Promise<ToThread> {
  const answer = new Promise<ToThread>((resolve) => port.once('message', resolve))
  port.postMessage(message)
  return answer
}

async function* pieces(port: MessagePort): AsyncGenerator<Uint8Array> {
  while (true) {
    const { piece } = await ask(port, { kind: 'more' })
    if (!piece) return
    yield piece
  }
}

// The first message is what to read. A failure that is no verdict about the file ends the thread with an error, which its parent reports.
parentPort?.once('message', async ({ order }: ToThread) => {
  const port = parentPort
  if (!port || !order) return
  // Of this thread only, on Linux: a statement may take longer, and payments may not.
  setPriority(NICE)
  const result = await readStatement(pieces(port), order.wallet, async (lines, bad) => {
    await ask(port, { kind: 'chunk', lines: encodeLines(lines, order.columns), bad })
  })
  port.postMessage({ kind: 'end', result } satisfies FromThread)
})
