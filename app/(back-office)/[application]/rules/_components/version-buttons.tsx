'use client'

import { useState } from 'react'
import { ErrorNotice } from '#components/form/error-notice.tsx'
import { useAction } from '#components/form/use-action.tsx'
import { Button } from '#components/ui/button.tsx'
import { Checkbox } from '#components/ui/field.tsx'
import { toast } from '#components/ui/overlay/toast.tsx'
import { useT } from '#components/ui/translations.tsx'
import { useRouter } from '#components/ui/use-router.ts'
import { paths } from '#lib/pages/paths.ts'
import { findingKey, isRefused, type RuleFinding } from '#lib/rules/rule-finding.ts'
import { useProposal } from '../../_components/changes/use-proposal.ts'
import { restoreRules } from '../actions.ts'

type Props = {
  application: string
  version: number
  canActivate: boolean
  canRestore: boolean
  /** The problems that the version in effect does not have. They are shown above. */
  added: readonly RuleFinding[]
}

/**
 * Proposes to activate a version, or stores an earlier one again as a new version. New gaps are accepted first; a version that nobody could approve
 * with is not proposed.
 */
export function VersionButtons({ application, version, canActivate, canRestore, added }: Props) {
  const t = useT()
  const router = useRouter()
  const [isAccepted, setIsAccepted] = useState(false)
  const activation = useProposal(application, () => router.push(paths.rules(application)))
  const restoration = useAction(() => restoreRules(application, { version }), {
    words: RESTORE_REFUSALS,
    onDone(value) {
      toast(t('rules.restored', { version }))
      router.push(paths.ruleVersion(application, value.version))
    },
  })
  const isPending = activation.isPending || restoration.isPending
  const error = activation.error ?? restoration.error
  const isHopeless = added.some(isRefused)
  const accepted = isAccepted ? added.map(findingKey) : []
  return (
    <div className="grid gap-2">
      {error && <ErrorNotice error={error} />}
      {canActivate && isHopeless && <p>{t('rules.notActivatable')}</p>}
      {canActivate && !isHopeless && added.length > 0 && (
        <Checkbox
          name="accept"
          label={t('rules.accept', { count: added.length })}
          checked={isAccepted}
          onChange={(event) => setIsAccepted(event.target.checked)}
        />
      )}
      <div className="flex flex-wrap gap-2">
        {canActivate && !isHopeless && (
          <Button variant="primary" isBusy={isPending} onClick={() => activation.propose('policy.activate', { version, accepted })}>
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
