import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Icon } from '#components/ui/display/icon.tsx'
import { useT } from '#components/ui/translations.tsx'

/** From which container width on a table of fixed columns fits; app/globals.css says what happens below. */
const FITS_FROM = [700, 900, 1160, 1300, 1600] as const

/** The part of the frame by which a press scrolls: what was last in sight stays in sight. */
const STEP = 0.8

type Props = {
  /** The least width of the table; undefined if its columns fit their content. */
  minWidth: number | undefined
  children: ReactNode
}

/** The frame of a table that may be wider than its place. A mark on the edge shows that there is more, and takes people there. */
export function ScrollFrame({ minWidth, children }: Props) {
  const t = useT()
  const frame = useRef<HTMLDivElement>(null)
  const hasMore = useHasMore(frame)
  const fixed = minWidth === undefined ? undefined : `scroll-${FITS_FROM.find((width) => minWidth <= width) ?? 'always'}`
  return (
    <div className="relative">
      <div
        ref={frame}
        className={`relative print:max-h-none print:overflow-visible ${fixed ?? 'overflow-x-auto narrow:overflow-x-visible'}`}
      >
        {children}
      </div>
      {hasMore && (
        <div className="no-print pointer-events-none absolute inset-y-0 right-0 w-6 border-r border-line-2 shadow-[inset_-14px_0_10px_-10px_rgb(0_0_0/0.16)] narrow:hidden">
          <button
            type="button"
            aria-label={t('table.more')}
            title={t('table.more')}
            onClick={() => frame.current?.scrollBy({ left: frame.current.clientWidth * STEP })}
            className="pointer-events-auto absolute top-1 right-1 z-20 flex size-7 items-center justify-center rounded-full border border-line-2 bg-surface text-ink-2 shadow-float hover:bg-sunken"
          >
            <Icon name="chevron-right" className="size-3.5" />
          </button>
        </div>
      )}
    </div>
  )
}

/** Whether something is to the right of what is in sight. */
function useHasMore(frame: { readonly current: HTMLDivElement | null }): boolean {
  const [hasMore, setHasMore] = useState(false)
  useEffect(() => {
    const element = frame.current
    if (!element) return
    const measure = () => {
      const isScroller = getComputedStyle(element).overflowX === 'auto'
      setHasMore(isScroller && element.scrollWidth - element.clientWidth - element.scrollLeft > 2)
    }
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    if (element.firstElementChild) observer.observe(element.firstElementChild)
    element.addEventListener('scroll', measure, { passive: true })
    return () => {
      observer.disconnect()
      element.removeEventListener('scroll', measure)
    }
  }, [frame])
  return hasMore
}
