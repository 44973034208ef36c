/** A grey bar in place of a text that is loading. `className` sets width and height. */
export function Skeleton({ className = 'h-4 w-24' }: { className?: string }) {
  return <span aria-hidden="true" className={`block animate-pulse rounded-[4px] bg-sunken ${className}`} />
}
