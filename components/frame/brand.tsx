import { Icon } from '#components/ui/icon.tsx'

/** The logo and the name of the product. */
export function Brand({ name }: { name: string }) {
  return (
    <span className="inline-flex items-center gap-2.5 text-[15px] font-strong">
      <Icon name="sign" className="size-[18px]" />
      {name}
    </span>
  )
}
