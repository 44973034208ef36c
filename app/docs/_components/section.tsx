import type { ReactNode } from 'react'
import { GUIDES, type Guide } from '#lib/reference.ts'

/** A section of a page with a link to itself. */
export function Section({
  id,
  title,
  level = 2,
  lang,
  children,
}: {
  id: string
  title: string
  level?: 2 | 3
  lang?: string
  children: ReactNode
}) {
  const Heading = level === 2 ? 'h2' : 'h3'
  return (
    <section aria-labelledby={id} className={level === 2 ? 'mt-10' : 'mt-6'}>
      <Heading id={id} lang={lang} className={`group scroll-mt-20 ${level === 2 ? 'text-balance' : 'text-amount'}`}>
        <PlaceLink id={id}>
          {title}
          <span aria-hidden="true" className="ml-2 text-quiet opacity-0 group-hover:opacity-100">
            #
          </span>
        </PlaceLink>
      </Heading>
      <div className="mt-3 grid grid-cols-[minmax(0,1fr)] gap-3">{children}</div>
    </section>
  )
}

/** A link to a place in the page, whose address it also copies. */
export function PlaceLink({ id, className = '', children }: { id: string; className?: string; children: ReactNode }) {
  return (
    <a href={`#${id}`} data-place="" className={`no-underline hover:underline ${className}`}>
      {children}
    </a>
  )
}

/** A section of a guide, with the title that the search and the contents show. */
export function GuideSection({ guide, id, children }: { guide: Guide; id: string; children: ReactNode }) {
  const title = GUIDES[guide].find(([each]) => each === id)?.[1]
  if (title === undefined) throw new Error(`The guide ${guide} has no section ${id}`)
  return (
    <Section id={id} title={title} lang="en">
      {children}
    </Section>
  )
}
