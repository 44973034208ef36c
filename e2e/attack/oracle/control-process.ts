// The control of the loop measurement: a server that does nothing, in a process of its own. What delays it is the machine.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const server = createServer({ keepAliveTimeout: 0 }, (_, response) => response.end('{"status":"up"}'))
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
process.once('disconnect', () => process.exit(0))
