'use client'

import { useState, useTransition } from 'react'
import { ErrorNotice } from '#components/form/error-notice.tsx'
import { Button } from '#components/ui/button.tsx'
import { toast } from '#components/ui/overlay/toast.tsx'
import { useT } from '#components/ui/translations.tsx'
import { useRouter } from '#components/ui/use-router.ts'
import { paths } from '#lib/pages/paths.ts'
import { callAction, refusalText } from '#lib/result.ts'
import { findingKey, type RuleFinding } from '#lib/rules/rule-finding.ts'
import { proposeChange } from '../../../../actions/changes.ts'
import { CHANGE_REFUSALS } from '../../_components/changes/use-proposal.ts'
import { restoreRules } from '../actions.ts'
import { AcceptFindings } from './accept-findings.tsx'

type Props = { application: string; version: number; canActivate: boolean; canRestore: boolean }

/** Proposes to activate a version, or stores an earlier one again as a new version. */
export function VersionButtons({ application, version, canActivate, canRestore }: Props) {
  const t = useT()
  const router = useRouter()
  const [error, setError] = useState<string | null>(null)
  const [findings, setFindings] = useState<readonly RuleFinding[]>([])
  const [isAccepted, setIsAccepted] = useState(false)
  const [isPending, startTransition] = useTransition()
  function activate() {
    startTransition(async () => {
      const result = await callAction(() => proposeChange(application, { kind: 'policy.activate', input: { version } }))
      if (!result.ok) return setError(refusalText(t, result.error.code, CHANGE_REFUSALS))
      toast(t('change.proposedNow'))
      router.push(paths.rules(application))
    })
  }
  function restore() {
    startTransition(async () => {
      const result = await callAction(() => restoreRules(application, { version, accepted: isAccepted ? findings.map(findingKey) : [] }))
      if (!result.ok) return setError(refusalText(t, result.error.code, RESTORE_REFUSALS))
      if ('findings' in result.value) {
        setIsAccepted(false)
        return setFindings(result.value.findings)
      }
      toast(t('rules.restored', { version }))
      router.push(paths.ruleVersion(application, result.value.version))
    })
  }
  return (
    <div className="grid gap-2">
      {error && <ErrorNotice error={error} />}
      <AcceptFindings findings={findings} isAccepted={isAccepted} onAccept={setIsAccepted} />
      <div className="flex flex-wrap gap-2">
        {canActivate && (
          <Button variant="primary" isBusy={isPending} onClick={activate}>
            {t('rules.proposeActivation')}
          </Button>
        )}
        {canRestore && (
          <Button isBusy={isPending} onClick={restore}>
            {t('rules.restore')}
          </Button>
        )}
      </div>
    </div>
  )
}

const RESTORE_REFUSALS = {
  not_permitted: 'action.forbidden',
  unknown_application: 'action.not_found',
  unknown_version: 'action.not_found',
  invalid_rules: 'rules.unreadable',
  offline: 'action.offline',
} as const
