// One of several worker processes (WORKER_CONCURRENCY), started by server/main.ts.

import { startLoops } from '../start/start-loops.ts'
import { runChildProcess } from './start-child-processes.ts'

await runChildProcess('worker process', async (runtime, ending) => {
  const loops = startLoops(runtime)
  ending.add('the loops', () => loops.drain())
})
