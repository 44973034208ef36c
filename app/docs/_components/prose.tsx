import { Fragment, type ReactNode } from 'react'
import { Badge, type Tone } from '#components/ui/display/badge.tsx'
import type { Translate } from '#lib/i18n/translate.ts'
import { GUIDES, type Guide } from '#lib/partner/guides.ts'
import type { TransactionStatus } from '#lib/payments/transactions/transaction-status.ts'
import { getT } from '#server/back-office/preferences.ts'

/** Paragraphs of the OpenAPI document, which are in English in every language of the page. */
export function Description({ text }: { text: string }) {
  return (
    <div lang="en" className="grid max-w-[68ch] gap-3 text-ink">
      {text.split('\n\n').map((paragraph) => (
        <p key={paragraph}>{paragraph}</p>
      ))}
    </div>
  )
}

/** A paragraph of a guide. Text between backticks is code. */
export function P({ children }: { children: string }) {
  return (
    <p className="max-w-[68ch]">
      <Inline text={children} />
    </p>
  )
}

/** A list of a guide. */
export function List({ items, isOrdered = false }: { items: readonly ReactNode[]; isOrdered?: boolean }) {
  const Tag = isOrdered ? 'ol' : 'ul'
  return (
    <Tag className={`grid max-w-[68ch] gap-1.5 pl-5 ${isOrdered ? 'list-decimal' : 'list-disc'}`}>
      {items.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the items of a guide never change their order.
        <li key={index}>{typeof item === 'string' ? <Inline text={item} /> : item}</li>
      ))}
    </Tag>
  )
}

export function Inline({ text }: { text: string }) {
  return text.split('`').map((part, index) => {
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never change their order.
    if (index % 2 === 0) return <Fragment key={index}>{part}</Fragment>
    // biome-ignore lint/suspicious/noArrayIndexKey: as above.
    return <Code key={index}>{part}</Code>
  })
}

/** A name or a value in a text. */
export function Code({ children }: { children: ReactNode }) {
  return <code className="rounded-[4px] bg-sunken px-1 py-px font-mono text-second wrap-anywhere">{children}</code>
}

/** A section of a page with a link to itself. */
export function Section({ id, title, level = 2, children }: { id: string; title: string; level?: 2 | 3; children: ReactNode }) {
  const Heading = level === 2 ? 'h2' : 'h3'
  return (
    <section aria-labelledby={id} className={level === 2 ? 'mt-10' : 'mt-6'}>
      <Heading id={id} className={`group scroll-mt-20 ${level === 2 ? 'text-balance' : 'text-amount'}`}>
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
export async function GuideSection({ guide, id, children }: { guide: Guide; id: string; children: ReactNode }) {
  const title = GUIDES[guide].find(([each]) => each === id)?.[1]
  if (title === undefined) throw new Error(`The guide ${guide} has no section ${id}`)
  const t = await getT()
  return (
    <Section id={id} title={t(title)}>
      {children}
    </Section>
  )
}

/** A guide: its title, what is on the page, and its sections. */
export function DocsPage({ t, guide, children }: { t: Translate; guide: Guide; children: ReactNode }) {
  return (
    <article className="max-w-[860px]">
      <h1 className="text-figure">{t(`docs.guide.${guide}`)}</h1>
      <nav aria-label={t('docs.on')} className="mt-4 border-l-2 border-line pl-4">
        <ul className="grid gap-1 text-ink-2">
          {GUIDES[guide].map(([id, title]) => (
            <li key={id}>
              <a href={`#${id}`} className="hover:text-ink hover:underline">
                {t(title)}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      {children}
    </article>
  )
}

const TONES: Record<TransactionStatus, Tone> = { SUCCESS: 'ok', FAILED: 'bad', PENDING_APPROVAL: 'wait', PENDING: 'run' }

/** A status as the API writes it, in the colour that it has in the back office. */
export function StatusWord({ status }: { status: TransactionStatus }) {
  return (
    <Badge tone={TONES[status]} hasDot>
      {status}
    </Badge>
  )
}
