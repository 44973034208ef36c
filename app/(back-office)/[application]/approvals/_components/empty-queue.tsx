import { ButtonLink } from '#components/ui/button.tsx'
import { EmptyState } from '#components/ui/display/empty-state.tsx'
import { useT } from '#components/ui/translations.tsx'
import type { ApprovalPage, ApprovalQueue } from '#lib/approvals/approvals.ts'
import { paths, type QueryValues } from '#lib/pages/paths.ts'

const FILTERS = ['operator', 'min', 'max', 'maker', 'rule', 'checker', 'from', 'to']

type Props = { application: string; queue: ApprovalQueue; query: QueryValues; page: ApprovalPage }

/** One sentence about a list without rows, and where to go from there. */
export default function EmptyQueue({ application, queue, query, page: { total, counts } }: Props) {
  const t = useT()
  const isFiltered = FILTERS.some((key) => query[key] != null && query[key] !== '')
  const to = (title: string, href: string, words: string) => (
    <EmptyState icon={isFiltered ? 'filter' : 'sign'} title={title} action={<ButtonLink href={href}>{words}</ButtonLink>} />
  )
  // The last ones of the last page were decided.
  if (total > 0) return to(t('approvals.empty.page'), paths.approvals(application, { ...query, page: null }), t('approvals.empty.toFirst'))
  if (isFiltered) {
    const unfiltered = paths.approvals(application, { queue: queue === 'mine' ? null : queue })
    return to(t('approvals.empty.filtered'), unfiltered, t('approvals.empty.clear'))
  }
  const title = t(`approvals.empty.${queue}`)
  if (queue === 'mine' && counts.others > 0)
    return to(title, paths.approvals(application, { queue: 'others' }), t('approvals.empty.toOthers', { count: counts.others }))
  return to(title, paths.transactions(application), t('approvals.empty.transactions'))
}
