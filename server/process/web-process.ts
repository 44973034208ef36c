// One of several web processes (WEB_CONCURRENCY), started by server/main.ts.
import { runChildProcess } from './run-child-process.ts'
import { startWeb } from './start-web.ts'

await runChildProcess('web process', async (runtime, ending) => {
  const web = await startWeb(runtime, { sharesPort: true })
  ending.add('the front door', () => web.drain())
  await web.pagesReady
})
