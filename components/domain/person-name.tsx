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

/** Two letters in a circle; the name stands beside it or in the label of what holds it. */
export function Initials({ name }: { name: string }) {
  return (
    <span aria-hidden="true" className="inline-flex size-7 items-center justify-center rounded-full border border-line bg-sunken text-[11px] font-strong text-ink-2">
      {initialsOf(name)}
    </span>
  )
}
