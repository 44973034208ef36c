import type { Translate } from '#lib/i18n/translate.ts'
import { paths } from '#lib/paths.ts'
import type { ReferenceCause } from '#lib/reference.ts'
import { PlaceLink } from './section.tsx'

type Cause = ReferenceCause & { key?: string; operations?: readonly string[] }

/** Reasons for refusals: the cause, the message that tells it, and what to do. */
export function CauseList({ t, causes }: { t: Translate; causes: readonly Cause[] }) {
  return (
    <dl className="divide-y divide-line border-y border-line">
      {causes.map((cause) => {
        const place = cause.key ?? `error-${cause.status}-${cause.id}`
        return (
          <div key={place} id={place} className="scroll-mt-20 py-2.5 target:bg-accent-soft">
            <dt lang="en" className="flex items-baseline gap-2.5">
              <span className="shrink-0 font-mono text-second text-quiet tabular">{cause.status}</span>
              <PlaceLink id={place} className="font-medium">
                {cause.cause}
              </PlaceLink>
            </dt>
            <dd lang="en" className="mt-0.5 grid gap-0.5 pl-9">
              <p className="max-w-[68ch] font-mono text-second text-quiet wrap-anywhere">
                <span className="sr-only">{t('docs.message')}: </span>
                {cause.message}
              </p>
              <p className="max-w-[68ch] text-ink-2">
                <span className="sr-only">{t('docs.remedy')}: </span>
                {cause.remedy}
              </p>
              {cause.operations && cause.operations.length < 13 && <OperationLinks ids={cause.operations} />}
            </dd>
          </div>
        )
      })}
    </dl>
  )
}

function OperationLinks({ ids }: { ids: readonly string[] }) {
  return (
    <p className="flex flex-wrap gap-x-2.5 text-second">
      {ids.map((id) => (
        <a key={id} href={paths.docs(id)} className="text-accent wrap-anywhere hover:underline">
          {id}
        </a>
      ))}
    </p>
  )
}
