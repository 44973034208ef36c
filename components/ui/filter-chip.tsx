import type { ReactNode } from 'react'
import { Icon } from './icon.tsx'
import { Popover } from './popover.tsx'

export const CHIP =
  'no-print inline-flex h-[30px] items-center gap-1 rounded-sm border border-line-2 bg-surface px-2.5 text-work text-ink-2 hover:bg-sunken whitespace-nowrap touch-target'

/** A filter with its name and current value; opens the form that changes it. */
export function FilterChip({
  id,
  name,
  value,
  isSet = false,
  onOpen,
  children,
}: {
  id: string
  name: string
  value: string
  isSet?: boolean
  onOpen?: () => void
  children: ReactNode
}) {
  return (
    <Popover
      id={id}
      {...(onOpen ? { onOpen } : {})}
      triggerClass={`${CHIP} ${isSet ? 'border-accent' : ''}`}
      trigger={
        <>
          <span>{name}</span> <span className="font-strong text-ink">{value}</span>
          <Icon name="chevron" className="-mr-1 size-3.5 text-ink-3" />
        </>
      }
    >
      {children}
    </Popover>
  )
}
