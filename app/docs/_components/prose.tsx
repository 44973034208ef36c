import { Fragment, type ReactNode } from 'react'

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
    <p lang="en" className="max-w-[68ch]">
      <Inline text={children} />
    </p>
  )
}

/** A list of a guide. */
export function List({ items, isOrdered = false }: { items: readonly ReactNode[]; isOrdered?: boolean }) {
  const Tag = isOrdered ? 'ol' : 'ul'
  return (
    <Tag lang="en" className={`grid max-w-[68ch] gap-1.5 pl-5 ${isOrdered ? 'list-decimal' : 'list-disc'}`}>
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
