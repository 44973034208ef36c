import type { ReactNode } from 'react'
import { Icon } from '../display/icon.tsx'

/** Closes the menu or filter of an event, if the page remains. */
export function closePopover({ currentTarget }: { currentTarget: Element }): void {
  currentTarget.closest<HTMLElement>('[popover]')?.hidePopover()
}

type Props = {
  id: string
  /** The content of the button. */
  trigger: ReactNode
  /** Added to the visible label for screen readers. */
  label?: string
  triggerClass: string
  align?: 'start' | 'end'
  panelClass?: string
  /** Called before it is shown, to load its content. */
  onOpen?: () => void
  children: ReactNode
}

/**
 * A button and a native popover: top layer, closed by Escape and a click outside, focus returns to the
 * button. No script. Its content is a plain list of links and buttons in tab order.
 */
export function Popover({ id, trigger, label, triggerClass, align = 'start', panelClass = '', onOpen, children }: Props) {
  return (
    <>
      <button type="button" popoverTarget={id} className={triggerClass}>
        {trigger}
        {label && <span className="sr-only">{label}</span>}
      </button>
      <div
        id={id}
        popover="auto"
        onBeforeToggle={onOpen && ((event) => event.newState === 'open' && onOpen())}
        className={`anchored ${align === 'end' ? 'anchored-end' : ''} max-h-[80dvh] min-w-52 overflow-y-auto rounded-md border border-line bg-surface p-1.5 text-work text-ink shadow-float ${panelClass}`}
      >
        {children}
      </div>
    </>
  )
}

/** The classes of a menu item, for links and buttons. */
export const MENU_ITEM =
  'flex w-full items-center gap-2.5 rounded-sm px-2.5 py-1.5 text-left text-ink hover:bg-sunken aria-[current=true]:bg-sunken aria-[current=true]:font-medium touch-target'

/** A heading inside a menu. */
export function MenuHeading({ children }: { children: ReactNode }) {
  return <p className="px-2.5 pt-2 pb-1 text-second text-quiet">{children}</p>
}

/** A separator in a menu. */
export function MenuRule() {
  return <hr className="my-1.5 border-line" />
}

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
