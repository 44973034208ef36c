import { Icon } from '#components/ui/display/icon.tsx'
import { initialsOf } from '#lib/text/format.ts'

/** The logo and the name of the product. */
export function Brand({ name }: { name: string }) {
  return (
    <span className="inline-flex items-center gap-2.5 text-[15px] font-strong">
      <Icon name="sign" className="size-[18px]" />
      {name}
    </span>
  )
}

/** The initials of a person in a circle. */
export function Initials({ name }: { name: string }) {
  return (
    <span className="inline-flex size-7 items-center justify-center rounded-full border border-line bg-sunken text-[11px] font-strong text-ink-2">
      {initialsOf(name)}
    </span>
  )
}
