import { randomUUID } from 'node:crypto'
import { type ExampleRequest, NEW_ID, type RunVariable } from '#lib/partner/reference.ts'
import { err, ok, type Result } from '#lib/result.ts'
import type { ApplicationSnapshot } from '#server/applications/snapshot.ts'
import { mayAct, type PersonCommandActor } from '#server/audit/command-actor.ts'
import { recordAct } from '#server/audit/run-command.ts'
import type { HttpRuntime } from '#server/http/api/endpoint.ts'
import { handleApiRequest } from '#server/http/door/handle-api-request.ts'
import { findEndpoint } from '#server/http/door/routes.ts'
import { readReference } from '#server/http/reference/read-reference.ts'
import { type ApiRequest, JSON_TYPE } from '#server/http/request/api-request.ts'

/** An example that a person runs in place of the program of an application. `address`: the person's. */
type ExampleRun = {
  application: ApplicationSnapshot
  actor: PersonCommandActor
  address: string | undefined
  operation: string
  body: string | null
  variables: Readonly<Partial<Record<RunVariable, string>>>
}

/** The answer of the API. `transactionIds`: what the call started or was about. `customerPage`: of a collect, where its customer pays. */
export type ExampleAnswer = {
  status: number
  durationMs: number
  body: string
  retryAfter: string | null
  transactionIds: string[]
  customerPage: string | null
}
export type ExampleFailure = 'not_a_sandbox' | 'not_permitted' | 'not_found' | 'no_api_user' | 'invalid'

/** Recorded calls show where they came from. */
const USER_AGENT = 'API reference (Run)'
/** Operations whose payToken names a page. */
const COLLECTS: ReadonlySet<string> = new Set(['collect', 'createCollect'])
const PAY_TOKEN = /"payToken"\s*:\s*"([0-9a-f-]{36})"/
const TRANSACTION = /"transactionId"\s*:\s*"([0-9a-f-]{36})"/g
/** Lists have more than a page that runs them needs. */
const IDS_MAX = 10

/**
 * Runs an example of the reference in a sandbox, through all checks of the API but the three credentials: a person with `sandbox:use` may get
 * those alone there, so the run allows nothing more. Each UUID that an example makes is new. What changes something is recorded with the person
 * before it runs.
 */
export async function runExample(runtime: HttpRuntime, run: ExampleRun): Promise<Result<ExampleAnswer, ExampleFailure>> {
  const { application, actor, operation, body, variables } = run
  const { applicationId } = application
  if (!runtime.config.isSandbox) return err('not_a_sandbox')
  if (!mayAct(actor, applicationId, 'sandbox:use')) return err('not_permitted')
  const example = readReference().operations.get(operation)?.run
  if (!example) return err('not_found')
  if (example.variables.some((variable) => variables[variable] === undefined)) return err('invalid')
  const apiUserId = [...application.apiUserEpochs.keys()].find((id) => !application.blockedApiUserIds.has(id))
  if (apiUserId === undefined) return err('no_api_user')
  const request = toRequest(example, run)
  const endpoint = findEndpoint(request.path)
  if (endpoint?.kind !== 'partner') throw new Error(`The example of ${operation} is no call of a program`)
  if (endpoint.scope.endsWith(':write'))
    await recordAct(runtime.pool, { applicationId, actor }, { action: 'sandbox.example_run', subject: operation })
  const startedMs = performance.now()
  const response = await handleApiRequest(runtime, request, { application, apiUserId, apiKeyId: '', scopes: null })
  const answer = response.body.toString()
  const found = Array.from(`${body ?? ''}${answer}`.matchAll(TRANSACTION), ([, id = '']) => id)
  const payToken = COLLECTS.has(operation) ? PAY_TOKEN.exec(answer)?.[1] : undefined
  return ok({
    status: response.status,
    durationMs: Math.round(performance.now() - startedMs),
    body: answer,
    retryAfter: response.headers?.['retry-after'] ?? null,
    customerPage: payToken === undefined ? null : `/pay/${payToken}`,
    transactionIds: [...new Set([...found, ...(variables.TRANSACTION_ID === undefined ? [] : [variables.TRANSACTION_ID])])].slice(
      0,
      IDS_MAX,
    ),
  })
}

/** The request as a program would send it, without its credentials. */
function toRequest(
  { method, target, hasKey, body: example }: ExampleRequest,
  { application, address, body, variables }: ExampleRun,
): ApiRequest {
  const fill = (text: string) => text.replace(/\$(TRANSACTION_ID|BATCH_ID)\b/g, (_, name: RunVariable) => variables[name] ?? '')
  const [path = '', search = ''] = fill(target).split('?')
  const bytes = Buffer.from(example === null ? '' : withNewIds(fill(body ?? example)))
  const headers: Record<string, string> = {
    apiid: application.apiId,
    'user-agent': USER_AGENT,
    ...(example !== null && { 'content-type': JSON_TYPE, 'content-length': String(bytes.length) }),
    ...(hasKey && { 'idempotency-key': randomUUID() }),
  }
  return {
    method,
    path,
    search,
    peerAddress: address,
    isForwarded: false,
    headers,
    header: (name) => headers[name],
    readBody: async (bytesMax) => (bytes.length > bytesMax ? err('too_large') : ok(bytes)),
  }
}

/** A new UUID for each name; the same for a name that occurs twice. */
function withNewIds(text: string): string {
  const ids = new Map<string, string>()
  return text.replace(NEW_ID, (name) => {
    const id = ids.get(name) ?? randomUUID()
    ids.set(name, id)
    return id
  })
}
