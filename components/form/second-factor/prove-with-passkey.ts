import type { MessageKey } from '#lib/i18n/translate.ts'
import type { ProofAnswer } from '#lib/people/passkeys.ts'
import { callAction } from '#lib/result.ts'
import type { StartProof } from './offered-proofs.tsx'
import { signWithPasskey } from './passkey-device.ts'

/** Has the person confirm with a passkey on their device. Returns the proof for an action, or the message that says why there is none. */
export async function proveWithPasskey(startProof: StartProof): Promise<ProofAnswer | MessageKey> {
  const started = await callAction(async () => ({ ok: true as const, value: await startProof() }))
  if (!started.ok) return 'form.passkey.unused'
  const request = started.value
  if (!request.ok) return request.error === 'unauthenticated' ? 'action.unauthenticated' : 'form.passkey.unused'
  const assertion = await signWithPasskey(request.value)
  return assertion ? { kind: 'passkey', assertion } : 'form.passkey.unused'
}
