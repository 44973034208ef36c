import type { ReactNode } from 'react'
import { Icon, type IconName } from './icon.tsx'

/** Shown in place of an empty list: one sentence and at most one action. */
export function EmptyState({
  icon = 'inbox',
  title,
  text,
  action,
}: {
  icon?: IconName
  /** A page that shows nothing else passes its `h1`. */
  title: ReactNode
  text?: ReactNode
  action?: ReactNode
}) {
  return (
    <div className="flex flex-col items-start gap-3 py-12 sm:items-center sm:text-center">
      <Icon name={icon} className="size-5 text-ink-3" />
      <div className="font-strong text-ink">{title}</div>
      {text && <p className="max-w-lg text-ink-2">{text}</p>}
      {action}
    </div>
  )
}

/** A message beside the content it is about. Screen readers announce a `bad` one at once. */
export function Notice({
  tone = 'neutral',
  icon,
  children,
  action,
}: {
  tone?: 'neutral' | 'bad' | 'wait' | 'ok'
  icon?: IconName
  children: ReactNode
  action?: ReactNode
}) {
  const colours = { neutral: 'bg-sunken text-ink', bad: 'bg-bad-soft text-bad', wait: 'bg-wait-soft text-wait', ok: 'bg-ok-soft text-ok' }[
    tone
  ]
  return (
    <div
      role={tone === 'bad' ? 'alert' : 'status'}
      className={`flex flex-wrap items-center gap-x-2.5 gap-y-2 rounded-md px-3 py-2 ${colours}`}
    >
      <div className="flex flex-1 basis-60 items-center gap-2.5">
        <Icon name={icon ?? (tone === 'bad' || tone === 'wait' ? 'alert' : 'info')} className="size-4 shrink-0" />
        <div className="min-w-0">{children}</div>
      </div>
      {action}
    </div>
  )
}
