import { initialsOf } from '#lib/format.ts'

/** A person by name; with `hasInitials`, their two letters in a circle before it. */
export function PersonName({ name, hasInitials = false }: { name: string; hasInitials?: boolean }) {
  return (
    <span className="inline-flex items-center gap-2">
      {hasInitials && <Initials name={name} />}
      <span>{name}</span>
    </span>
  )
}

/** Two letters in a circle. Hidden from screen readers where the name stands beside it. */
export function Initials({ name, isHidden = true }: { name: string; isHidden?: boolean }) {
  return (
    <span
      aria-hidden={isHidden || undefined}
      className="inline-flex size-7 items-center justify-center rounded-full border border-line bg-sunken text-[11px] font-strong text-ink-2"
    >
      {initialsOf(name)}
    </span>
  )
}
