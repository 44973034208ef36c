import { CopyButton } from '#components/ui/copy-button.tsx'

/** Text as it is, which scrolls if it is wide, with a button that copies it. */
export function CodeBlock({ label, text }: { label: string; text: string }) {
  return (
    <div className="relative rounded-lg border border-line bg-sunken">
      <section
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        className="overflow-x-auto p-3 pr-11"
      >
        <pre className="text-second whitespace-pre" translate="no">
          {text}
        </pre>
      </section>
      <div className="absolute top-1.5 right-1.5">
        <CopyButton text={text} label={label} />
      </div>
    </div>
  )
}
