import type { IncomingMessage } from 'node:http'
import { err, ok, type Result } from '#lib/result.ts'
import type { BodyHold } from '#server/http/request/body-budget.ts'
import { collectChunks } from '#server/http/request/collect-chunks.ts'
import type { Connection } from '#server/http/request/connection.ts'
import type { BodyProblem } from './api-request.ts'

type BodyOrder = {
  bytesMax: number
  /** The maximum time until the body is complete. */
  timeoutMs: number
  hold: BodyHold
  connection: Connection
}

const CAPACITY_MIN = 4_096
const NO_BYTES: Buffer = Buffer.alloc(0)

/**
 * Reads a body into memory. As soon as it cannot be read completely, the result says why, the memory is freed, and the rest of the body is
 * dropped. The caller releases the hold when the bytes are no longer needed.
 */
export function readBody(
  incoming: IncomingMessage,
  { bytesMax, timeoutMs, hold, connection }: BodyOrder,
): Promise<Result<Uint8Array, BodyProblem>> {
  if (!announcesBody(incoming)) return Promise.resolve(ok(NO_BYTES))
  if (Number(incoming.headers['content-length'] ?? 0) > bytesMax) return Promise.resolve(err('too_large'))
  if (connection.isBroken && !incoming.complete) return Promise.resolve(err('malformed'))
  return new Promise((resolve) => {
    // Nearly every body is one chunk, which is used directly. Several are copied into one growing buffer, because chunks of one byte, kept
    // separately, would take two hundred times their size.
    let bytes = 0
    let content = NO_BYTES
    let isOver = false
    const timer = setTimeout(() => finish(err('too_slow')), timeoutMs)
    // An error after the last byte of this body is not an error in it.
    connection.failBody = (problem) => (incoming.complete ? undefined : finish(err(problem)))
    incoming.on('data', (chunk: Buffer) => {
      if (isOver) return collectChunks(chunk.length)
      const total = bytes + chunk.length
      if (total > bytesMax) return finish(err('too_large'))
      const capacity = capacityFor(total, bytes, content.length, bytesMax)
      if (!hold.raiseTo(capacity)) return finish(err('no_room'))
      content = bytes === 0 ? chunk : append(content, bytes, chunk, capacity)
      bytes = total
    })
    incoming.once('end', () => finish(ok(content.subarray(0, bytes))))
    incoming.once('close', () => finish(err('aborted')))
    // biome-ignore lint/plugin/no-silent-error: The client broke the connection off.
    incoming.once('error', () => finish(err('aborted')))

    function finish(result: Result<Uint8Array, BodyProblem>): void {
      if (isOver) return
      isOver = true
      clearTimeout(timer)
      connection.failBody = undefined
      content = NO_BYTES
      if (!result.ok) hold.release()
      resolve(result)
    }
  })
}

/** Returns true if the headers announce a body. */
export function announcesBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'
}

function capacityFor(total: number, before: number, capacity: number, bytesMax: number): number {
  if (before === 0 || total <= capacity) return Math.max(total, capacity)
  return Math.min(Math.max(total, capacity * 2, CAPACITY_MIN), bytesMax)
}

function append(content: Buffer, bytes: number, chunk: Buffer, capacity: number): Buffer {
  let target = content
  if (capacity > content.length) {
    // Not from Node's pool, because a slice would keep its whole slab alive.
    target = Buffer.allocUnsafeSlow(capacity)
    content.copy(target, 0, 0, bytes)
  }
  chunk.copy(target, bytes)
  collectChunks(chunk.length)
  return target
}
