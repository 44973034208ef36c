import type { Family } from './case.ts'
import { addresses } from './families/addresses.ts'
import { brokenConnections } from './families/broken-connections.ts'
import { credentialAttacks } from './families/credentials.ts'
import { dates } from './families/dates.ts'
import { encodings } from './families/encodings.ts'
import { framing } from './families/framing.ts'
import { headers } from './families/headers.ts'
import { jsonValues } from './families/json-values.ts'
import { largeBodies } from './families/large-bodies.ts'
import { methods } from './families/methods.ts'
import { multipart } from './families/multipart.ts'
import { nesting } from './families/nesting.ts'
import { numbers } from './families/numbers.ts'
import { pipelining } from './families/pipelining.ts'
import { queryParameters } from './families/query-parameters.ts'
import { requestTargets } from './families/request-targets.ts'
import { routerHeaders } from './families/router-headers.ts'
import { sessions } from './families/sessions.ts'
import { slow } from './families/slow.ts'
import { text } from './families/text.ts'

/** Every family of cases. A new one is a file in `families/` and a word here. */
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
]
