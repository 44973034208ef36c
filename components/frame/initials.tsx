import { initialsOf } from '#lib/format.ts'

/** The initials of a person in a circle. */
export function Initials({ name }: { name: string }) {
  return (
    <span className="inline-flex size-7 items-center justify-center rounded-full border border-line bg-sunken text-[11px] font-strong text-ink-2">
      {initialsOf(name)}
    </span>
  )
}
