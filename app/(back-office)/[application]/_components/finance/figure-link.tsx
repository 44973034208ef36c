import { Link } from '#components/ui/link.tsx'
import { FIGURE_LINK } from './finance-figures.ts'

/** A figure that links to its list; `zero` where there is none. `className`: further classes of the link. */
export function FigureLink({
  href,
  text,
  zero,
  className = '',
}: {
  href: string | null
  text: string | null
  zero: string
  className?: string
}) {
  if (text === null) return <span className="text-quiet">{zero}</span>
  if (href === null) return text
  return (
    <Link href={href} className={`${FIGURE_LINK} ${className}`}>
      {text}
    </Link>
  )
}
