import { useTranslations } from '#components/ui/translations.tsx'
import type { BatchEnd } from '#lib/approvals/approvals.ts'
import { endText } from './decision-text.tsx'

/** Who ended the wait of a batch's rows, when and why: for somebody who was reading it, or who opens it later. */
export function BatchEnds({ ends }: { ends: readonly BatchEnd[] }) {
  const words = useTranslations()
  if (ends.length === 0) return null
  return (
    <ul role="alert" className="grid gap-1 rounded-md bg-sunken px-3 py-2">
      {ends.map((end) => (
        <li key={`${end.event} ${end.by} ${end.at}`}>
          {words.t('batch.ended', { count: end.count })} <bdi>{endText(words, end)}</bdi>
        </li>
      ))}
    </ul>
  )
}
