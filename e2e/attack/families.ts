import { addresses } from '#e2e/attack/families/addresses.ts'
import { brokenConnections } from '#e2e/attack/families/broken-connections.ts'
import { credentialAttacks } from '#e2e/attack/families/credentials.ts'
import { dates } from '#e2e/attack/families/dates.ts'
import { encodings } from '#e2e/attack/families/encodings.ts'
import { framing } from '#e2e/attack/families/framing.ts'
import { headers } from '#e2e/attack/families/headers.ts'
import { inside } from '#e2e/attack/families/inside.ts'
import { jsonValues } from '#e2e/attack/families/json-values.ts'
import { largeBodies } from '#e2e/attack/families/large-bodies.ts'
import { methods } from '#e2e/attack/families/methods.ts'
import { multipart } from '#e2e/attack/families/multipart.ts'
import { nesting } from '#e2e/attack/families/nesting.ts'
import { numbers } from '#e2e/attack/families/numbers.ts'
import { oneTime } from '#e2e/attack/families/one-time.ts'
import { payPages } from '#e2e/attack/families/pay-pages.ts'
import { pipelining } from '#e2e/attack/families/pipelining.ts'
import { queryParameters } from '#e2e/attack/families/query-parameters.ts'
import { requestTargets } from '#e2e/attack/families/request-targets.ts'
import { routerHeaders } from '#e2e/attack/families/router-headers.ts'
import { sessions } from '#e2e/attack/families/sessions.ts'
import { slow } from '#e2e/attack/families/slow.ts'
import { text } from '#e2e/attack/families/text.ts'
import { uploads } from '#e2e/attack/families/uploads.ts'
import { v2Batches } from '#e2e/attack/families/v2-batches.ts'
import { v2Payments } from '#e2e/attack/families/v2-payments.ts'
import { v2Reads } from '#e2e/attack/families/v2-reads.ts'
import type { Family } from './case.ts'

/** Every family of cases. A new one is a file in `families/` and an entry here. */
export const FAMILIES: readonly Family[] = [
  jsonValues,
  numbers,
  text,
  nesting,
  methods,
  requestTargets,
  headers,
  routerHeaders,
  framing,
  slow,
  brokenConnections,
  pipelining,
  encodings,
  largeBodies,
  credentialAttacks,
  addresses,
  dates,
  queryParameters,
  multipart,
  sessions,
  v2Payments,
  v2Batches,
  v2Reads,
  payPages,
  uploads,
  oneTime,
  inside,
]
