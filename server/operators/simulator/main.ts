// The simulator as a process: node server/operators/simulator/main.ts --port 4010 --folder .data/simulator [--delay-ms 1500]
// with the shared secret in SIMULATOR_SECRET. Says where it listens, as one JSON line and as a message to its parent.
import { parseArgs } from 'node:util'
import { startSimulator } from './start-simulator.ts'

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    host: { type: 'string', default: '127.0.0.1' },
    folder: { type: 'string' },
    'delay-ms': { type: 'string', default: '1500' },
    'slow-delay-ms': { type: 'string', default: '60000' },
    'callback-host': { type: 'string' },
    'webhook-base-url': { type: 'string' },
    'bad-day': { type: 'string', default: '0' },
  },
})
const secret = process.env['SIMULATOR_SECRET']
if (!values.folder || !secret) throw new Error('The simulator needs --folder and the variable SIMULATOR_SECRET.')

const simulator = await startSimulator({
  port: Number(values.port),
  host: values.host,
  folder: values.folder,
  secret,
  delayMs: Number(values['delay-ms']),
  slowDelayMs: Number(values['slow-delay-ms']),
  callbackHost: values['callback-host'],
  webhookBaseUrl: values['webhook-base-url'],
  badDayShare: Number(values['bad-day']),
})
const place = { url: simulator.url, port: simulator.port }
process.stdout.write(`${JSON.stringify(place)}\n`)
process.send?.(place)

const stop = () => void simulator.close().then(() => process.exit(0))
process.once('SIGTERM', stop)
process.once('SIGINT', stop)
// A parent that was killed must not leave a simulator on its port.
process.once('disconnect', stop)
