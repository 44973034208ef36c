import type { MessageKey, Translate } from './i18n/translate.ts'

/** An expected outcome is a value; only bugs and broken infrastructure throw. */
export type Result<Value, Failure> = { ok: true; value: Value } | { ok: false; error: Failure }

/** Wraps the value of a command that succeeded. */
export function ok<Value>(value: Value): { ok: true; value: Value } {
  return { ok: true, value }
}

/** Wraps the reason why a command refused. */
export function err<Failure>(error: Failure): { ok: false; error: Failure } {
  return { ok: false, error }
}

/** The digest of an error that a page throws because the database is away: Next passes nothing else of it to the browser. */
export const DATABASE_AWAY_DIGEST = 'database_away'

/** Why an action refuses before its command runs. */
export type ActorRefusal = 'unauthenticated' | 'not_found' | 'second_factor_required' | 'forbidden'

/**
 * Why a command that takes a fresh proof, a one-time code or a passkey, refuses before it does anything. `code_required`: there was none.
 * `code_throttled`: too many wrong ones of either kind.
 */
export type FreshProofRefusal = 'code_required' | 'wrong_code' | 'passkey_refused' | 'code_throttled' | 'second_factor_missing'

/** The refusals that every action may return besides the errors of its command. */
export type ActionRefusal = ActorRefusal | FreshProofRefusal | 'invalid' | 'unavailable' | 'unexpected'

/** `fields`: what is wrong with each field. `values`: what the message of the code names, in the language of the person. */
export type ActionError<Failure> = {
  code: Failure | ActionRefusal
  fields?: Readonly<Record<string, string>>
  values?: Readonly<Record<string, string>>
}

/** An action's return value to the browser: a value, or an error code with a message in lib/i18n. Exceptions are not exposed. */
export type ActionResult<Value, Failure extends string = never> = { ok: true; value: Value } | { ok: false; error: ActionError<Failure> }

/** Why the browser says that an action was not carried out: its own refusals, or `offline`, because no answer arrived. */
export type Refusal<Failure extends string> = Failure | ActionRefusal | 'offline'

/** Refusals that have a message for every command. */
type CommonRefusal = Refusal<'not_permitted'>

/** The messages of a command's own refusals, and other messages for common ones. A refusal without a message does not compile. */
export type RefusalWords<Failure extends string> = Readonly<
  Record<Exclude<Failure, CommonRefusal>, MessageKey> & Partial<Record<CommonRefusal, MessageKey>>
>

const REFUSALS: Record<CommonRefusal, MessageKey> = {
  offline: 'action.offline',
  not_permitted: 'action.forbidden',
  unauthenticated: 'action.unauthenticated',
  not_found: 'action.not_found',
  second_factor_required: 'action.second_factor_required',
  forbidden: 'action.forbidden',
  code_required: 'action.code_required',
  wrong_code: 'action.wrong_code',
  passkey_refused: 'action.passkey_refused',
  code_throttled: 'action.code_throttled',
  second_factor_missing: 'action.second_factor_required',
  invalid: 'action.invalid',
  unavailable: 'action.unavailable',
  unexpected: 'action.unexpected',
}

/** Returns the message for a refusal: that of `words`, else the common one. */
export function refusalText<Failure extends string>(
  t: Translate,
  code: Refusal<Failure>,
  words: RefusalWords<NoInfer<Failure>> | Readonly<Record<NoInfer<Failure>, MessageKey>>,
  values: ActionError<Failure>['values'] = {},
): string {
  const keys: Readonly<Partial<Record<string, MessageKey>>> = { ...REFUSALS, ...words }
  return t(keys[code] ?? 'action.unexpected', values)
}

/**
 * Calls an action from the browser. A failed connection is a result as well: `offline`, because a person must know
 * that it may or may not have arrived.
 */
export async function callAction<Value, Failure extends string>(
  call: () => Promise<ActionResult<Value, Failure>>,
): Promise<Result<Value, ActionError<Refusal<Failure>>>> {
  try {
    return await call()
  } catch (error) {
    // Next answers redirects by throwing; those carry a digest and are not ours.
    if (error instanceof Error && 'digest' in error) throw error
    return { ok: false, error: { code: 'offline' } }
  }
}
