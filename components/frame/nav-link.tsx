'use client'

import { usePathname } from 'next/navigation'
import type { ReactNode } from 'react'
import { Link } from '#components/ui/link.tsx'

/**
 * A navigation item that marks the current page. `isExact` for the overview, whose address begins all the
 * others. `except`: an address below this one that has an item of its own.
 */
export function NavLink({
  href,
  isExact,
  except,
  className,
  children,
}: {
  href: string
  isExact: boolean
  except?: string | undefined
  className: string
  children: ReactNode
}) {
  const pathname = usePathname()
  const isBelow = !isExact && pathname.startsWith(`${href}/`) && !(except !== undefined && pathname.startsWith(except))
  const isCurrent = pathname === href || isBelow
  return (
    <Link href={href} aria-current={isCurrent ? 'page' : undefined} className={className}>
      {children}
    </Link>
  )
}
