import { randomBytes } from 'node:crypto'
import type { Template } from './plan.ts'

/** Requests with an externalId that was never used: half random for this run, half counted. */
export function createRequests(templates: Template[]): () => string {
  const run = randomBytes(8).toString('hex')
  const idStart = `${run.slice(0, 8)}-${run.slice(8, 12)}-4${run.slice(12, 15)}-8`
  let count = 0
  const prepared = templates.map(({ head, body }) => {
    if (!body) return { start: `${head}\r\n`, end: '' }
    const length = Buffer.byteLength(body.before) + 36 + Buffer.byteLength(body.after)
    return { start: `${head}Content-Length: ${length}\r\n\r\n${body.before}`, end: body.after }
  })
  return () => {
    const template = prepared[Math.floor(Math.random() * prepared.length)]
    if (!template) throw new Error('A plan has at least one template')
    if (template.end === '') return template.start
    count++
    // The low digits first: neighbours in time lie far apart in the index, as with random ids.
    const scattered = ((count * 2_654_435_761) % 4_294_967_296).toString(16).padStart(8, '0')
    const digits = count.toString(16).padStart(7, '0')
    return `${template.start}${scattered}${idStart.slice(8)}${digits.slice(0, 3)}-${digits.slice(3)}${run.slice(0, 8)}${template.end}`
  }
}
