import { useEffect, useRef, useTransition } from 'react'
import type { MessageKey } from '#lib/i18n/translate.ts'
import type { ProofAnswer } from '#lib/people/passkeys.ts'
import { useOfferedProofs } from './offered-proofs.tsx'

type Options = {
  /** Everything that is confirmed, as one text: another one is another act. */
  act: string
  onProof: (proof: ProofAnswer) => void
  onProblem: (problem: MessageKey) => void
}

/**
 * Asks the device of the person to confirm with a passkey. If the act has changed while the device was asked, nothing is sent: the person confirmed
 * something else. Nothing is reported once the form is gone. The code is loaded when it is used.
 */
export function usePasskeyProof({ act, onProof, onProblem }: Options): { ask: () => void; isAsking: boolean } {
  const { startProof } = useOfferedProofs()
  const [isAsking, startAsking] = useTransition()
  /** Null: the form is gone. */
  const shown = useRef<string | null>(null)
  useEffect(() => {
    shown.current = act
    return () => {
      shown.current = null
    }
  }, [act])
  return {
    isAsking,
    ask: () =>
      startAsking(async () => {
        if (!startProof) return
        const proven = await import('./prove-with-passkey.ts').then(
          ({ proveWithPasskey }) => proveWithPasskey(startProof),
          // biome-ignore lint/plugin/no-silent-error: A chunk that did not arrive, which the message says.
          () => 'form.passkey.unused' as const,
        )
        if (shown.current === null) return
        if (shown.current !== act) onProblem('form.passkey.changed')
        else if (typeof proven === 'string') onProblem(proven)
        else onProof(proven)
      }),
  }
}
