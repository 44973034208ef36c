import { useState, useTransition } from 'react'
import { toast } from '#components/ui/toast.tsx'
import { useT } from '#components/ui/translations.tsx'
import { useRouter } from '#components/ui/use-router.ts'
import { callAction, refusalText } from '#lib/action-result.ts'
import type { ProtocolSettings } from '#lib/operator-settings.ts'
import { CHANGE_REFUSALS } from '../../../_components/changes/change-words.ts'
import { type ProposedSettings, proposeSettings } from '../../actions.ts'

const REFUSALS = { ...CHANGE_REFUSALS, invalid_settings: 'operators.invalidSettings' } as const

/** Proposes other settings from a dialog, which closes once the proposal is stored. `problems`: by the path of the field. */
export function useSettingsProposal(application: string, { operator, protocol }: ProtocolSettings, onClose: () => void) {
  const t = useT()
  const router = useRouter()
  const [error, setError] = useState<string | null>(null)
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({})
  const [isPending, startTransition] = useTransition()
  function propose(changes: ProposedSettings['changes']): void {
    startTransition(async () => {
      const result = await callAction(() => proposeSettings(application, { operator, protocol, changes }))
      if (!result.ok) {
        setProblems(result.error.code === 'invalid_settings' ? (result.error.fields ?? {}) : {})
        return setError(refusalText(t, result.error.code, REFUSALS))
      }
      toast(t('change.proposedNow'))
      onClose()
      router.refresh()
    })
  }
  return { propose, error, setError, problems, isPending }
}
