import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useRef, useState, useTransition } from 'react'
import { onDemand } from '#components/ui/overlay/on-demand.tsx'
import { toast } from '#components/ui/overlay/toast.tsx'
import { useT } from '#components/ui/translations.tsx'
import { useRouter } from '#components/ui/use-router.ts'
import type { ProofAnswer } from '#lib/people/passkeys.ts'
import { type ActionError, type ActionResult, callAction, type Refusal, type RefusalWords, refusalText } from '#lib/result.ts'

const ProofDialog = onDemand(async () => (await import('./second-factor/fresh-proof-dialog.tsx')).FreshProofDialog)

/** The refusals after which a person can bring a proof and try again. */
const PROOF_REFUSALS: ReadonlySet<string> = new Set(['code_required', 'wrong_code', 'passkey_refused', 'code_throttled'])

type Options<Input extends readonly unknown[], Value, Failure extends string> = {
  /** The messages of the command's own refusals. */
  words: RefusalWords<Failure>
  /** Queries whose data the action may have changed. They are read again after a refusal too: something differs from what was shown. */
  invalidates?: readonly QueryKey[]
  /** Reads the page again once the action is `done`, or once it is `answered`, by a refusal too. Without an answer there is nothing new. */
  refreshes?: 'done' | 'answered'
  /** The text of the toast. */
  said?: (value: Value) => string
  onDone?: (value: Value, input: NoInfer<Input>) => void
  onRefused?: (code: Refusal<Failure>) => void
  /** The action with a fresh code or passkey, which it takes where the second factor is required. */
  withProof?: (proof: ProofAnswer, input: NoInfer<Input>) => Promise<ActionResult<Value, NoInfer<Failure>>>
}

type Run<Input> = { input: Input; proof?: ProofAnswer }

export type Action<Input extends readonly unknown[], Value, Failure extends string> = {
  run: (...input: Input) => void
  /** From the press until the page and its data have been read again. */
  isPending: boolean
  /** Why the last run was refused, in words; null while it runs again. */
  error: string | null
  refusal: ActionError<Refusal<Failure>> | null
  /** The result of the last run. */
  value: Value | null
  /** Shows why a form is not sent at all, or nothing, in place of an earlier refusal. */
  setError: (text: string | null) => void
  /** Asks for a code or a passkey. Rendered beside the button or form of the action, not inside the form. */
  proofDialog: ReactNode
}

/**
 * Runs a server action once per press and holds what became of it: whether it is in progress, why it was refused, what it returned. A run
 * that was not answered (`offline`) may or may not have arrived, so nothing repeats it automatically.
 */
export function useAction<Input extends readonly unknown[], Value, Failure extends string>(
  action: (...input: Input) => Promise<ActionResult<Value, Failure>>,
  { words, invalidates = [], refreshes, said, onDone, onRefused, withProof }: Options<Input, Value, Failure>,
): Action<Input, Value, Failure> {
  const t = useT()
  const router = useRouter()
  const queryClient = useQueryClient()
  const [problem, setProblem] = useState<string | null>(null)
  const [asked, setAsked] = useState<{ problem: string | null; repeat: (proof: ProofAnswer) => void } | null>(null)
  const [isRefreshing, startRefresh] = useTransition()
  // A second press arrives before the button is shown as busy.
  const isRunning = useRef(false)
  const { mutate, reset, isPending, data } = useMutation({
    mutationFn: ({ input, proof }: Run<Input>) => callAction(() => (withProof && proof ? withProof(proof, input) : action(...input))),
    // By default the library would wait for a connection and send then, long after the press.
    networkMode: 'always',
    // Next answers redirects by throwing.
    throwOnError: true,
    onSuccess(result, { input }) {
      const code = result.ok ? null : result.error.code
      const asksForProof = withProof !== undefined && code !== null && PROOF_REFUSALS.has(code)
      setAsked(
        asksForProof
          ? { problem: code === 'code_required' ? null : refusalText(t, code, words), repeat: (proof) => start({ input, proof }) }
          : null,
      )
      if (result.ok) {
        if (said) toast(said(result.value))
        onDone?.(result.value, input)
      } else if (!asksForProof) onRefused?.(result.error.code)
      if (refreshes && (result.ok || (refreshes === 'answered' && code !== 'offline'))) startRefresh(() => router.refresh())
      const read = Promise.all(invalidates.map((queryKey) => queryClient.invalidateQueries({ queryKey })))
      // A refusal is shown at once.
      return result.ok ? read : undefined
    },
    onSettled: () => {
      isRunning.current = false
    },
  })
  function start(run: Run<Input>) {
    if (isRunning.current) return
    isRunning.current = true
    setProblem(null)
    mutate(run)
  }
  const refusal = data && !data.ok ? data.error : null
  return {
    run: (...input) => start({ input }),
    isPending: isPending || isRefreshing,
    error: problem ?? (refusal && !asked ? refusalText(t, refusal.code, words, refusal.values) : null),
    refusal,
    value: data?.ok ? data.value : null,
    setError(text) {
      reset()
      setProblem(text)
    },
    proofDialog: asked && (
      <ProofDialog problem={asked.problem} isPending={isPending} onProof={asked.repeat} onClose={() => setAsked(null)} />
    ),
  }
}
