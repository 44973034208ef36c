import type { ApiScope } from '#lib/partner/api-scopes.ts'
import { err, ok, type Result } from '#lib/result.ts'
import { type AdmissionFailure, admitCaller, authenticateCaller, type Caller } from '#server/partner-auth/authenticate-caller.ts'
import type { ApiRequest } from '../request/api-request.ts'
import type { CallTrace } from './call-record.ts'
import type { HttpRuntime } from './endpoint.ts'
import { type Refusal, refuse, UNAUTHENTICATED } from './errors.ts'

/**
 * Checks the three credentials (401), then address, user and application (403), from the headers only. The body is read later. Notes in `trace`
 * whose call it is.
 */
export async function authenticate(runtime: HttpRuntime, request: ApiRequest, trace: CallTrace): Promise<Result<Caller, Refusal>> {
  const credentials = {
    apiKey: request.header('apikey'),
    apiId: request.header('apiid'),
    authorization: request.header('authorization'),
  }
  const address = request.peerAddress ?? 'unknown'
  const caller = await authenticateCaller(runtime.directory, runtime.tokens, credentials)
  if (!caller.ok) {
    runtime.refusals.noteUnauthenticated(credentials, address)
    return err(UNAUTHENTICATED)
  }
  const { application, apiKeyId } = caller.value
  const { applicationId } = application
  const admitted = admitCaller(caller.value, address)
  const keyPrefix = admitted.ok && !runtime.recentCalls ? undefined : application.keys.find((each) => each.apiKeyId === apiKeyId)?.keyPrefix
  trace.owner = { applicationId, keyPrefix, cause: admitted.ok ? undefined : admitted.error, isProven: true }
  if (!admitted.ok) {
    // The credentials were right: which key it was tells a partner what to revoke.
    const subject = keyPrefix === undefined ? '' : `${keyPrefix}…`
    runtime.refusals.note({ applicationId, cause: admitted.error, address, subject })
    return err(refuseAdmission(admitted.error, request.peerAddress))
  }
  runtime.keyUses.note(caller.value, address, Date.now())
  return ok(caller.value)
}

/**
 * Admits a call that a person makes in place of the program, in a sandbox whose rights are already checked. No key is
 * used, and no address is compared with the allow list, which is for the program's servers. Notes in `trace` whose call it is.
 */
export function admitInPlaceOfProgram(caller: Caller, trace: CallTrace): Result<Caller, Refusal> {
  const { applicationId, isEnabled } = caller.application
  trace.owner = { applicationId, cause: isEnabled ? undefined : 'application_disabled', isProven: true }
  return isEnabled ? ok(caller) : err(refuseAdmission('application_disabled', undefined))
}

/** Returns the refusal of a key that is limited to other scopes. */
export function refuseScope({ scopes }: Pick<Caller, 'scopes'>, scope: ApiScope): Refusal | undefined {
  if (scopes === null || scopes.has(scope)) return undefined
  return refuse(403, 'scope_missing', `The apiKey is limited, and its scopes do not include ${scope}.`)
}

/** Returns the response to a caller whose credentials are right and who may not call. */
export function refuseAdmission(failure: AdmissionFailure, peerAddress: string | undefined): Refusal {
  switch (failure) {
    case 'address_not_allowed':
      return refuse(
        403,
        'address_not_allowed',
        peerAddress === undefined
          ? 'The address of the caller is unknown, so it cannot be on the allow list of the application.'
          : `The address ${peerAddress} is not on the allow list of the application.`,
      )
    case 'user_blocked':
      return refuse(403, 'user_blocked', 'The user account is blocked.')
    case 'application_disabled':
      return refuse(403, 'application_disabled', 'The application is disabled.')
  }
}
