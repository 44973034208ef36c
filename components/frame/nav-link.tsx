'use client'

import { usePathname } from 'next/navigation'
import type { ReactNode } from 'react'
import { Link } from '#components/ui/link.tsx'

/**
 * A navigation item that marks the current page. `isExact` for the overview, whose address begins all the
 * others.
 */
export function NavLink({
  href,
  isExact,
  className,
  children,
}: {
  href: string
  isExact: boolean
  className: string
  children: ReactNode
}) {
  const pathname = usePathname()
  const isCurrent = isExact ? pathname === href : pathname === href || pathname.startsWith(`${href}/`)
  return (
    <Link href={href} aria-current={isCurrent ? 'page' : undefined} className={className}>
      {children}
    </Link>
  )
}
