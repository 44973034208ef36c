'use client'

import { useState } from 'react'
import { ErrorNotice } from '#components/form/error-notice.tsx'
import { useAction } from '#components/form/use-action.tsx'
import { Button } from '#components/ui/button.tsx'
import { toast } from '#components/ui/overlay/toast.tsx'
import { useT } from '#components/ui/translations.tsx'
import { useRouter } from '#components/ui/use-router.ts'
import { paths } from '#lib/pages/paths.ts'
import { findingKey, type RuleFinding } from '#lib/rules/rule-finding.ts'
import { useProposal } from '../../_components/changes/use-proposal.ts'
import { restoreRules } from '../actions.ts'
import { AcceptFindings } from './accept-findings.tsx'

type Props = { application: string; version: number; canActivate: boolean; canRestore: boolean }

/** Proposes to activate a version, or stores an earlier one again as a new version. */
export function VersionButtons({ application, version, canActivate, canRestore }: Props) {
  const t = useT()
  const router = useRouter()
  const [findings, setFindings] = useState<readonly RuleFinding[]>([])
  const [isAccepted, setIsAccepted] = useState(false)
  const activation = useProposal(application, () => router.push(paths.rules(application)))
  const restoration = useAction(() => restoreRules(application, { version, accepted: isAccepted ? findings.map(findingKey) : [] }), {
    words: RESTORE_REFUSALS,
    onDone(value) {
      if ('findings' in value) {
        setIsAccepted(false)
        return setFindings(value.findings)
      }
      toast(t('rules.restored', { version }))
      router.push(paths.ruleVersion(application, value.version))
    },
  })
  const isPending = activation.isPending || restoration.isPending
  const error = activation.error ?? restoration.error
  return (
    <div className="grid gap-2">
      {error && <ErrorNotice error={error} />}
      <AcceptFindings findings={findings} isAccepted={isAccepted} onAccept={setIsAccepted} />
      <div className="flex flex-wrap gap-2">
        {canActivate && (
          <Button variant="primary" isBusy={isPending} onClick={() => activation.propose('policy.activate', { version })}>
            {t('rules.proposeActivation')}
          </Button>
        )}
        {canRestore && (
          <Button isBusy={isPending} onClick={() => restoration.run()}>
            {t('rules.restore')}
          </Button>
        )}
      </div>
    </div>
  )
}

const RESTORE_REFUSALS = {
  unknown_application: 'action.not_found',
  unknown_version: 'action.not_found',
  invalid_rules: 'rules.unreadable',
} as const
