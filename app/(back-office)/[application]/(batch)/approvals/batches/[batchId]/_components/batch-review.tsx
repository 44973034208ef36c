'use client'

import { useState } from 'react'
import { TimeText } from '#components/domain/time-text.tsx'
import { ButtonLink } from '#components/ui/button.tsx'
import { Notice } from '#components/ui/empty-state.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import { useT } from '#components/ui/translations.tsx'
import { useRouter } from '#components/ui/use-router.ts'
import type { BatchDifference } from '#lib/batch-approval.ts'
import { paths } from '#lib/paths.ts'
import { BatchDecision } from './batch-decision.tsx'
import { BatchDifferenceNotice } from './batch-difference.tsx'
import { BatchFacts } from './batch-facts.tsx'
import { BatchRows } from './batch-rows.tsx'
import { type BatchProps, useBatch } from './use-batch.ts'
import { useExclusions } from './use-exclusions.ts'

/** A batch for the person who decides: what it is, its rows, and the decision about all of them. */
export function BatchReview(props: BatchProps) {
  const t = useT()
  const router = useRouter()
  const { application } = props
  const { batch, refresh } = useBatch(props)
  const exclusions = useExclusions(props.batchId)
  const [difference, setDifference] = useState<BatchDifference | null>(null)
  const [done, setDone] = useState<string | null>(null)
  if (!batch) return null
  const isWaiting = batch.count > 0
  return (
    <div className="grid min-w-0 gap-4">
      <PageHeader
        title={batch.name ?? t('batch.unnamed')}
        lead={
          <>
            {t('batch.madeBy', { name: batch.maker.name })} <TimeText at={batch.createdAt} />
            {isWaiting && (
              <>
                {' · '}
                {t('batch.expires')} <TimeText at={batch.expiresAt} />
              </>
            )}
          </>
        }
        actions={<ButtonLink href={paths.approvals(application)}>{t('batch.toQueue')}</ButtonLink>}
      />
      {done && <Notice tone="ok">{done}</Notice>}
      {difference && <BatchDifferenceNotice difference={difference} application={application} />}
      {isWaiting && (
        <div className="grid min-w-0 items-start gap-4 lg:grid-cols-[minmax(0,1fr)_320px] lg:grid-rows-[auto_1fr]">
          <BatchFacts batch={batch} />
          {/* On a phone between the figures and the rows, which may be many; beside both where there is room. */}
          <div className="lg:col-start-2 lg:row-span-2 lg:row-start-1 lg:sticky lg:top-4">
            <BatchDecision
              {...props}
              batch={batch}
              exclusions={exclusions}
              onDone={(text) => {
                setDone(text)
                setDifference(null)
                exclusions.clear()
                refresh()
                // The progress below is rendered on the server once a row no longer waits.
                router.refresh()
              }}
              onChanged={(what) => {
                setDifference(what)
                setDone(null)
                refresh()
              }}
            />
          </div>
          <BatchRows application={application} batch={batch} exclusions={exclusions} />
        </div>
      )}
    </div>
  )
}
