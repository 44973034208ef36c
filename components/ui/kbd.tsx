/** A key as it is printed on the keyboard. */
export function Kbd({ children }: { children: string }) {
  return (
    <kbd className="inline-flex h-[18px] min-w-[18px] items-center justify-center rounded-[4px] border border-line-2 bg-surface px-1 font-sans text-[11px] font-medium text-ink-2">
      {children}
    </kbd>
  )
}
