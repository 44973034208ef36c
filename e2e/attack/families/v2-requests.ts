import type { Arsenal } from '#e2e/attack/arsenal.ts'
import type { AttackCase, StatusRule } from '#e2e/attack/case.ts'
import { credentials, type Header, JSON_CONTENT, oneRequest, requestBytes, withSteps } from '#e2e/attack/wire/request.ts'

const V2 = '/api/v2'
const FULL = 'the intake may be full for a moment'
/** A request of version 2 with a body. */
type Post = { target: string; body: string | Uint8Array; key?: string | undefined }

function postRequest(arsenal: Arsenal, { target, body, key }: Post) {
  const headers: Header[] = [...credentials(arsenal), JSON_CONTENT, ...(key === undefined ? [] : [['Idempotency-Key', key] as const])]
  return { method: 'POST', target: `${V2}/${target}`, headers, body }
}

/** A case of one such request, with the credentials of the program. */
export function post(
  what: string,
  arsenal: Arsenal,
  parts: Post,
  statuses: readonly StatusRule[],
  more: Parameters<typeof oneRequest>[3] = {},
): AttackCase {
  return oneRequest(`${parts.target}: ${what}`, postRequest(arsenal, parts), statuses, { overload: FULL, ...more })
}

/** A case of a look-up. */
export function get(
  what: string,
  arsenal: Arsenal,
  target: string,
  statuses: readonly StatusRule[],
  more: Parameters<typeof oneRequest>[3] = {},
) {
  return oneRequest(`${target}: ${what}`, { target: `${V2}/${target}`, headers: credentials(arsenal) }, statuses, more)
}

/** Two requests on one connection: what the second one may be answered. */
export function twice(what: string, arsenal: Arsenal, posts: readonly [Post, Post], second: number, starts: string): AttackCase {
  const attack = post(what, arsenal, posts[0], [200], {
    starts: [starts],
    answers: 2,
    statuses: [[200], [second]],
    path: `${V2}/${posts[1].target}`,
  })
  const bytes = posts.map((each) => requestBytes(postRequest(arsenal, each)))
  const [first = Buffer.alloc(0), then = Buffer.alloc(0)] = bytes
  return withSteps({ ...attack, methods: ['POST', 'POST'] }, [
    { do: 'write', bytes: first },
    { do: 'await', answers: 1 },
    { do: 'write', bytes: then },
  ])
}
