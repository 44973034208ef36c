import { TimeText } from '#components/domain/time-text.tsx'
import { ButtonLink, buttonClass } from '#components/ui/button.tsx'
import { CopyButton } from '#components/ui/copy-button.tsx'
import { PageHeader } from '#components/ui/page-header.tsx'
import type { BatchDto } from '#lib/batch-dto.ts'
import type { BatchWords } from '#lib/batch-text.ts'
import { paths } from '#lib/paths.ts'
import { BatchStateBadge } from '../../_components/batch-state-badge.tsx'
import { DiscardButton } from './discard-button.tsx'

type Props = { application: string; batch: BatchDto; mayChange: boolean; words: BatchWords }

/** The name of a batch, where it comes from, and what can be done with the whole of it. */
export function BatchHead({ application, batch, mayChange, words: { t } }: Props) {
  const isOpen = batch.state === 'checking' || batch.state === 'draft'
  return (
    <PageHeader
      title={batch.name}
      lead={
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <BatchStateBadge t={t} state={batch.state} />
          <span>{t(`type.${batch.type}`)}</span>
          <span>{t('batches.rowCount', { count: batch.rowCount })}</span>
          <bdi className="wrap-anywhere">{batch.fileName}</bdi>
          <span>
            {t('batches.changedBy', { name: batch.makerName })} <TimeText at={batch.changedAt} style="full" />
          </span>
          <span className="inline-flex items-center gap-1">
            <code className="text-second text-quiet">{batch.batchId}</code>
            <CopyButton text={batch.batchId} label={t('batches.id')} />
          </span>
        </span>
      }
      actions={
        <>
          <ButtonLink href={paths.batches(application)}>{t('batches.toList')}</ButtonLink>
          {batch.state !== 'discarded' && batch.state !== 'checking' && (
            <a href={paths.data(application, `batches/${batch.batchId}/rows`)} download className={buttonClass()}>
              {t('batches.download')}
            </a>
          )}
          {isOpen && mayChange && <DiscardButton application={application} batchId={batch.batchId} version={batch.version} />}
        </>
      }
    />
  )
}
