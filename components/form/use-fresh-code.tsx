import { type ReactNode, useState } from 'react'
import { onDemand } from '#components/ui/overlay/on-demand.tsx'
import { useT } from '#components/ui/translations.tsx'
import { refusalText } from '#lib/result.ts'

const CodeDialog = onDemand(async () => (await import('./fresh-code-dialog.tsx')).FreshCodeDialog)

/** The refusals after which a person can enter a code and try again. */
const ASKED = new Set(['code_required', 'wrong_code', 'code_throttled'])

type FreshCode = {
  /** Takes the refusal of an action. Opens the dialog and returns true if it needs a code: `repeat` is then called with one. */
  asks(code: string, repeat: (code: string) => void): boolean
  /** The action was accepted: the dialog closes. */
  accepted(): void
  /** Rendered beside the button of the action. */
  dialog: ReactNode
}

/** For actions that take a fresh one-time code where the second factor is required. The server says whether one is. */
export function useFreshCode(isPending: boolean): FreshCode {
  const t = useT()
  const [asked, setAsked] = useState<{ problem: string | null; repeat: (code: string) => void } | null>(null)
  const close = () => setAsked(null)
  return {
    asks(code, repeat) {
      if (!ASKED.has(code)) {
        close()
        return false
      }
      setAsked({ problem: code === 'code_required' ? null : refusalText(t, code, {}), repeat })
      return true
    },
    accepted: close,
    dialog: asked && <CodeDialog problem={asked.problem} isPending={isPending} onCode={asked.repeat} onClose={close} />,
  }
}
