import type { ButtonHTMLAttributes, ReactNode } from 'react'
import { Link } from './link.tsx'

export type ButtonVariant = 'primary' | 'quiet' | 'danger' | 'ghost' | 'inverse' | 'inverse-quiet'
export type ButtonSize = 'small' | 'medium'

const VARIANTS: Record<ButtonVariant, string> = {
  primary: 'border-accent bg-accent text-on-accent hover:opacity-90',
  quiet: 'border-line-2 bg-surface text-ink hover:bg-sunken',
  // Only the text is red, not the background.
  danger: 'border-line-2 bg-surface text-bad hover:bg-bad-soft',
  ghost: 'border-transparent text-ink-2 hover:bg-sunken hover:text-ink',
  inverse: 'border-paper bg-paper text-ink hover:opacity-90',
  'inverse-quiet': 'border-paper/30 bg-transparent text-paper hover:bg-paper/10',
}

const SIZES: Record<ButtonSize, string> = { small: 'h-[26px] px-2.5 text-second', medium: 'h-[30px] px-3 text-[13px]' }

/** The classes of a button, for elements that must be something else (a link, a summary, a label). */
export function buttonClass(variant: ButtonVariant = 'quiet', size: ButtonSize = 'medium', extra = ''): string {
  return `inline-flex select-none items-center justify-center gap-1.5 rounded-sm border font-strong whitespace-nowrap transition-colors duration-100 touch-target
    disabled:cursor-default disabled:opacity-50 aria-disabled:opacity-50 ${SIZES[size]} ${VARIANTS[variant]} ${extra}`
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

type ButtonLinkProps = { href: string; variant?: ButtonVariant; size?: ButtonSize; className?: string; children: ReactNode }

/** A link that looks like a button. */
export function ButtonLink({ href, variant = 'quiet', size = 'medium', className = '', children }: ButtonLinkProps) {
  return (
    <Link href={href} className={buttonClass(variant, size, className)}>
      {children}
    </Link>
  )
}

/** Shown in place of a button that is not offered: the reason. */
export function NotAllowed({ reason }: { reason: string }) {
  return <span className="text-second text-quiet">{reason}</span>
}
