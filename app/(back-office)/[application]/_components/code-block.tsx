import { CopyButton } from '#components/ui/copy-button.tsx'

/** Text as it is, with a button that copies it. It scrolls if it is wide; `wraps`: its lines are broken instead. */
export function CodeBlock({ label, text, wraps = false }: { label: string; text: string; wraps?: boolean }) {
  return (
    <div className="relative rounded-lg border border-line bg-sunken">
      <section
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        className="overflow-x-auto p-3 pr-11"
      >
        <pre className={`text-second ${wraps ? 'wrap-anywhere whitespace-pre-wrap' : 'whitespace-pre'}`} translate="no">
          {text}
        </pre>
      </section>
      <div className="absolute top-1.5 right-1.5">
        <CopyButton text={text} label={label} />
      </div>
    </div>
  )
}
