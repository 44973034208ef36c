import type { ButtonHTMLAttributes, ReactNode } from 'react'
import { Link } from './link.tsx'

export type ButtonVariant = 'primary' | 'quiet' | 'danger' | 'ghost' | 'inverse' | 'inverse-quiet'
export type ButtonSize = 'small' | 'medium'

/** The classes of a button (app/globals.css), for elements that must be something else: a link, a summary, a label. Classes in `extra` win. */
export function buttonClass(variant: ButtonVariant = 'quiet', size: ButtonSize = 'medium', extra = ''): string {
  return `button button-${variant} button-${size} ${extra}`
}

type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement> & {
  variant?: ButtonVariant
  size?: ButtonSize
  isBusy?: boolean
  children: ReactNode
}

/** A button. While busy it keeps its size, is announced as busy and ignores clicks. */
export function Button({
  variant = 'quiet',
  size = 'medium',
  isBusy = false,
  className = '',
  disabled,
  type = 'button',
  children,
  ...rest
}: ButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      disabled={disabled || isBusy}
      aria-busy={isBusy || undefined}
      className={buttonClass(variant, size, className)}
    >
      {children}
    </button>
  )
}

type ButtonLinkProps = {
  href: string
  variant?: ButtonVariant
  size?: ButtonSize
  className?: string
  /** Where the text alone does not say what the link is about. */
  'aria-label'?: string
  children: ReactNode
}

/** A link that looks like a button. */
export function ButtonLink({ href, variant = 'quiet', size = 'medium', className = '', 'aria-label': label, children }: ButtonLinkProps) {
  return (
    <Link href={href} aria-label={label} className={buttonClass(variant, size, className)}>
      {children}
    </Link>
  )
}

/** Shown in place of a button that is not offered: the reason. */
export function NotAllowed({ reason }: { reason: string }) {
  return <span className="text-second text-quiet">{reason}</span>
}
