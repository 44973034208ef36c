import { endedCredentials } from '#e2e/attack/scenarios/ended-credentials.ts'
import { forcedEnquiries } from '#e2e/attack/scenarios/forced-enquiries.ts'
import { garbageOperator } from '#e2e/attack/scenarios/garbage-operator.ts'
import { hangingReceiver } from '#e2e/attack/scenarios/hanging-receiver.ts'
import { heldBodies } from '#e2e/attack/scenarios/held-bodies.ts'
import { hostileWorkbooks } from '#e2e/attack/scenarios/hostile-workbooks.ts'
import { idleConnections } from '#e2e/attack/scenarios/idle-connections.ts'
import { overpaidLinks } from '#e2e/attack/scenarios/overpaid-links.ts'
import { pageFlood } from '#e2e/attack/scenarios/page-flood.ts'
import { refusedCodes } from '#e2e/attack/scenarios/refused-codes.ts'
import type { Scenario } from '#e2e/attack/scenarios/scenario.ts'
import { signInFlood } from '#e2e/attack/scenarios/sign-in-flood.ts'
import { slowClients } from '#e2e/attack/scenarios/slow-clients.ts'
import { unsignedCallbacks } from '#e2e/attack/scenarios/unsigned-callbacks.ts'
import { wideRanges } from '#e2e/attack/scenarios/wide-ranges.ts'

/** Every scenario, in the order in which they are played. A new one is a file in `scenarios/` and an entry here. */
export const SCENARIOS: readonly Scenario[] = [
  idleConnections,
  pageFlood,
  slowClients,
  heldBodies,
  wideRanges,
  hostileWorkbooks,
  unsignedCallbacks,
  refusedCodes,
  overpaidLinks,
  endedCredentials,
  signInFlood,
  hangingReceiver,
  forcedEnquiries,
  garbageOperator,
]
