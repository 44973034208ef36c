import { CopyButton } from '#components/ui/copy-button.tsx'
import { Highlight } from './highlight.tsx'

/** Text to copy. Long lines scroll inside, also with the keys. */
export function CodeText({ label, source, isCode = true }: { label: string; source: string; isCode?: boolean }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keys.
    <section tabIndex={0} aria-label={label} className="overflow-x-auto -outline-offset-2">
      <pre className="w-max min-w-full p-3 font-mono text-second leading-5 text-ink">
        <code>
          <Highlight source={source} isCode={isCode} />
        </code>
      </pre>
    </section>
  )
}

/** One text with its title and a button that copies it. */
export function CodeBlock({ label, source, isCode = false }: { label: string; source: string; isCode?: boolean }) {
  return (
    <figure className="overflow-hidden rounded-md border border-line bg-sunken">
      <figcaption className="flex min-h-9 items-center justify-between gap-2 border-b border-line py-1 pr-2 pl-3 text-second font-medium text-ink-2">
        <span lang="en">{label}</span>
        <CopyButton text={source} label={label} />
      </figcaption>
      <CodeText label={label} source={source} isCode={isCode} />
    </figure>
  )
}
