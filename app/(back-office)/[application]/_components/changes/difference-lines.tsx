/** What is and what would be, one line per fact. */
export function DifferenceLines({ lines }: { lines: readonly { name: string; label: string; before: string; after: string }[] }) {
  return (
    <dl className="mt-2 grid gap-1">
      {lines.map(({ name, label, before, after }) => (
        <div key={name} className="flex gap-x-3 max-sm:flex-col">
          <dt className="shrink-0 text-quiet sm:w-48">{label}</dt>
          <dd className="min-w-0 wrap-anywhere whitespace-pre-line">
            <del className="text-quiet">{before}</del>
            <span aria-hidden="true" className="mx-1.5 text-ink-3">
              →
            </span>
            <ins className="font-medium no-underline">{after}</ins>
          </dd>
        </div>
      ))}
    </dl>
  )
}
