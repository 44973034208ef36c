'use client'

import type { ReactNode } from 'react'

export type EntryTone = 'ok' | 'bad' | 'wait' | 'run'

export const ENTRY_DOTS: Record<EntryTone, string> = { ok: 'bg-ok', bad: 'bg-bad', wait: 'bg-wait', run: 'bg-run' }

type EntryLineProps = {
  tone: EntryTone
  title: ReactNode
  /** Facts after the title, separated by dots: outcome, HTTP status, duration. */
  facts: readonly (string | null)[]
  time: ReactNode
  /** The second line. */
  children?: ReactNode
}

/** One call or attempt: what it was, its outcome and when on the first line, the answer on the second. Wraps instead of being cut off. */
export function EntryLine({ tone, title, facts, time, children }: EntryLineProps) {
  return (
    <li className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-2.5 border-b border-line py-2 last:border-b-0">
      <span aria-hidden="true" className={`mt-[6px] size-2 rounded-full ${ENTRY_DOTS[tone]}`} />
      <p className="flex flex-wrap justify-between gap-x-4">
        <span className="min-w-0 wrap-break-word">
          <span className="font-medium">{title}</span>
          <span className="text-ink-2">
            {facts
              .filter((fact) => fact !== null)
              .map((fact) => ` · ${fact}`)
              .join('')}
          </span>
        </span>
        <span className="text-second text-quiet">{time}</span>
      </p>
      {children && <div className="col-start-2 text-second text-ink-2">{children}</div>}
    </li>
  )
}
