import type { OperatorCode } from '#lib/operators/operators.ts'
import { err, ok } from '#lib/result.ts'
import type { OpenEndpoint } from '#server/http/api/endpoint.ts'
import { OVERLOADED, type Refusal, refuse } from '#server/http/api/errors.ts'
import { addressOwner, BODY_BYTES_MAX, refuseBody } from '#server/http/api/read-json-body.ts'
import { type CallbackRefusal, handleCallback } from '#server/operators/handle-callback.ts'
import { jsonResponse } from '../request/api-request.ts'

/** POST or PUT /operators/callback/<code>: an operator reports a change. It only makes a query due; it is never used as a result. */
export function callbackOf(operator: OperatorCode): OpenEndpoint {
  return {
    kind: 'open',
    name: 'operators/callback',
    method: 'POST',
    // MTN sends either.
    otherMethod: 'PUT',
    path: `/operators/callback/${operator}`,
    async respond(runtime, request) {
      const body = await request.readBody(BODY_BYTES_MAX, addressOwner(request))
      if (!body.ok) return err(refuseBody(body.error, BODY_BYTES_MAX))
      const taken = await handleCallback(runtime.callbacks, operator, request.headers, Buffer.from(body.value), request.search)
      return taken.ok ? ok(jsonResponse('{"received":true}')) : err(refuseCallback(taken.error))
    },
  }
}

function refuseCallback(refusal: CallbackRefusal): Refusal {
  switch (refusal) {
    case 'unknown_operator':
      return refuse(404, 'operator_not_connected', 'This operator is not connected.')
    case 'unverified':
      return refuse(401, 'signature_invalid', 'The signature of the callback is missing or invalid.')
    case 'malformed':
      return refuse(400, 'callback_unreadable', 'The callback cannot be read.')
    case 'overloaded':
      return OVERLOADED
  }
}
