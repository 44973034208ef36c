import { subscribe } from 'node:diagnostics_channel'
import type { IncomingMessage } from 'node:http'
import { publishForNextAuth } from '#server/config.ts'
import { BodyBudget } from '#server/http/request/body-budget.ts'
import { cleanForNext, createPeerResolver, forwardedFor, isForwarded } from '#server/http/request/peer-address.ts'
import { enterFacts } from '#server/http/request/request-facts.ts'
import { createLogger } from '#server/logger.ts'
import { setProcessLogger } from '#server/report-unexpected.ts'
import { startLoops } from './start-loops.ts'
import { explainFailedStart, readConfig, startRuntime } from './start-runtime.ts'

/**
 * Starts the service in a process of Next's own, `next start` or `next dev`: the API by its `route.ts` files, the pages, and, unless
 * ROLE=web, the loops. `instrumentation.ts` calls it once, before the first request. Ends the process with exit code 1 and one sentence if
 * a setting is missing or the database cannot be used.
 *
 * It needs a database of its own in DATABASE_URL: Next ends its process without waiting for a PostgreSQL inside it. A signal ends the loops;
 * Next answers what it has accepted and exits. Work that was claimed returns when its lease ends.
 */
export async function startInNext(): Promise<void> {
  try {
    const config = readConfig()
    if (!config.databaseUrl) throw new Error('DATABASE_URL is missing: under Next alone there is no PostgreSQL; npm start brings its own.')
    const logger = createLogger(config.logLevel)
    setProcessLogger(logger)
    publishForNextAuth(config)
    const { runtime } = await startRuntime({ config, logger, ending: { add: () => undefined, addForcedListener: () => undefined } })
    noteFacts(config.trustedProxies)
    if (config.role === 'web') return
    const loops = startLoops(runtime)
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void loops.drain())
  } catch (error) {
    process.stderr.write(`${explainFailedStart(error)}\n`)
    process.exit(1)
  }
}

/**
 * Does for every request what the front door does before Next sees one: keeps the address of its sender and its target as they arrived,
 * and takes away headers that only Next or a trusted proxy may write. Next has no hook that gets the connection; Node has.
 */
function noteFacts(trustedProxies: readonly string[]): void {
  const budget = new BodyBudget()
  const peers = createPeerResolver(trustedProxies)
  subscribe('http.server.request.start', (message) => {
    // Node documents the fields of this channel and does not declare their types.
    const { request } = message as { request: IncomingMessage }
    const { remoteAddress } = request.socket
    enterFacts({
      peerAddress: peers.resolve(remoteAddress, forwardedFor(request.headers)),
      isForwarded: isForwarded(request.headers),
      url: request.url ?? '',
      budget,
    })
    cleanForNext(request.headers, peers.isTrusted(remoteAddress))
  })
}
