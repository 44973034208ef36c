import { Money } from '#components/domain/money.tsx'
import { TimeText } from '#components/domain/time-text.tsx'
import { ButtonLink } from '#components/ui/button.tsx'
import { Badge } from '#components/ui/display/badge.tsx'
import { Link } from '#components/ui/link.tsx'
import { definePart, LazyPart } from '#components/ui/overlay/lazy-part.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { BatchItem } from '#lib/approvals/approvals.ts'
import { paths } from '#lib/pages/paths.ts'

const STAGE = definePart(async () => ({ default: (await import('#components/domain/batch-stage.tsx')).BatchStageBadge }))

/** Past decisions are folded below this count; waiting items are never folded. */
const DECIDED_SHOWN = 3

/** The batches of a queue, each one item: count, sums and maker, and the way to decide about all of its rows. */
export default function BatchItems({
  application,
  batches,
  isMade,
}: {
  application: string
  batches: readonly BatchItem[]
  isMade: boolean
}) {
  const t = useT()
  const isDecided = batches.every((batch) => batch.decided)
  const shown = isDecided ? batches.slice(0, DECIDED_SHOWN) : batches
  const rest = batches.slice(shown.length)
  const items = (some: readonly BatchItem[]) => (
    <ul className="rounded-lg border border-line bg-surface">
      {some.map((batch) => (
        <BatchLine key={batch.batchId} application={application} batch={batch} isMade={isMade} />
      ))}
    </ul>
  )
  return (
    <section aria-label={t('approvals.batches.title')} className="grid gap-2 pb-3">
      {items(shown)}
      {rest.length > 0 && (
        <details className="grid gap-2">
          <summary className="w-fit cursor-pointer py-1 text-second text-accent">
            {t('approvals.batches.more', { count: rest.length })}
          </summary>
          {items(rest)}
        </details>
      )}
    </section>
  )
}

/** `isMade`: in the list of what this person made and can recall. */
function BatchLine({ application, batch, isMade }: { application: string; batch: BatchItem; isMade: boolean }) {
  const t = useT()
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 border-b border-line px-3 py-2 last:border-b-0">
      <span className="grid min-w-0 gap-0.5">
        <span className="flex flex-wrap items-center gap-2">
          <Badge>{t('approvals.batches.count', { count: batch.count })}</Badge>
          <Link href={paths.batchApproval(application, batch.batchId)} className="font-strong text-accent underline">
            <bdi>{batch.name ?? t('approvals.batches.unnamed')}</bdi>
          </Link>
          {batch.decided && <LazyPart part={STAGE} props={{ t, batch: batch.decided }} />}
          {batch.canDecide === 'submitting' && <Badge tone="run">{t('approvals.batches.submitting')}</Badge>}
        </span>
        <span className="text-second text-quiet">
          <bdi>{batch.maker.name}</bdi>, <TimeText at={batch.createdAt} />
          {batch.decided && (
            <>
              {' · '}
              {t('approvals.batches.decidedBy', { names: batch.decided.by.join(', ') })} <TimeText at={batch.decided.at} />
            </>
          )}
        </span>
      </span>
      <span className="flex flex-wrap items-center gap-x-4">
        {batch.sums.map((sum) => (
          <Money key={sum.currency} amount={sum.amount} currency={sum.currency} size="amount" />
        ))}
        {isMade && batch.canDecide !== 'submitting' && (
          <ButtonLink href={paths.batchApproval(application, batch.batchId)} size="small">
            {t('approvals.recall.button')}
          </ButtonLink>
        )}
      </span>
    </li>
  )
}
