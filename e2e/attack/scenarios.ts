import { endedCredentials } from './scenarios/ended-credentials.ts'
import { forcedQueries } from './scenarios/forced-queries.ts'
import { garbageOperator } from './scenarios/garbage-operator.ts'
import { hangingReceiver } from './scenarios/hanging-receiver.ts'
import { heldBodies } from './scenarios/held-bodies.ts'
import { idleConnections } from './scenarios/idle-connections.ts'
import type { Scenario } from './scenarios/scenario.ts'
import { signInFlood } from './scenarios/sign-in-flood.ts'
import { slowClients } from './scenarios/slow-clients.ts'
import { wideRanges } from './scenarios/wide-ranges.ts'

/** Every scenario, in the order in which they are played. A new one is a file in `scenarios/` and a word here. */
export const SCENARIOS: readonly Scenario[] = [
  idleConnections,
  slowClients,
  heldBodies,
  wideRanges,
  endedCredentials,
  signInFlood,
  hangingReceiver,
  forcedQueries,
  garbageOperator,
]
