// One of several web processes (WEB_CONCURRENCY), started by server/main.ts.

import { startWeb } from '../start/start-web.ts'
import { runChildProcess } from './start-child-processes.ts'

await runChildProcess('web process', async (runtime, ending) => {
  const web = await startWeb(runtime, { sharesPort: true })
  ending.add('the front door', () => web.drain())
  await web.pagesReady
})
