// Asks for pages without pause over many connections, in a process of its own, so that its work delays no measurement:
// node flood-process.ts <base URL> <connections> <addresses> <paths, separated by spaces>. `#` in a path becomes a number.
// Ends when its parent says so or goes, and tells it how often each status was answered.
import { openCaller } from './caller.ts'

export type FloodReport = Record<number, number>

const [baseUrl = '', connections = '1', addresses = '1', pathList = '/'] = process.argv.slice(2)
const paths = pathList.split(' ')
const counts: FloodReport = {}
let sent = 0
let isOver = false

const callers = Array.from({ length: Number(addresses) }, (_, index) =>
  openCaller(baseUrl, { from: `127.60.${index}.1`, connections: Math.ceil(Number(connections) / Number(addresses)) }),
)
process.once('disconnect', () => process.exit(0))
process.once('message', () => {
  isOver = true
})

async function ask(lane: number): Promise<void> {
  const caller = callers[lane % callers.length]
  while (!isOver && caller) {
    const number = sent++
    const { status } = await caller.get((paths[number % paths.length] ?? '/').replace('#', String(number)))
    counts[status] = (counts[status] ?? 0) + 1
  }
}

await Promise.all(Array.from({ length: Number(connections) }, (_, lane) => ask(lane)))
process.send?.(counts)
for (const caller of callers) await caller.close()
process.disconnect?.()
