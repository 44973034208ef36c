'use client'

import { Notice } from '#components/ui/empty-state.tsx'
import { useT } from '#components/ui/translations.tsx'
import { paths } from '#lib/paths.ts'

/** Some of the list require a code that this person has no device for: where to set one up, and how to go on without them. */
export function WithoutFactor({
  application,
  count,
  onLeaveOut,
}: {
  application: string
  count: number
  onLeaveOut: (() => void) | undefined
}) {
  const t = useT()
  return (
    <Notice tone="wait">
      {t('approvals.code.missing', { count })}{' '}
      <a href={paths.enrol(paths.approvals(application))} className="underline">
        {t('approvals.code.enrol')}
      </a>
      {onLeaveOut && (
        <>
          {' · '}
          <button type="button" onClick={onLeaveOut} className="underline">
            {t('approvals.code.leaveOut', { count })}
          </button>
        </>
      )}
    </Notice>
  )
}
