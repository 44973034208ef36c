import { ButtonLink } from '#components/ui/button.tsx'
import type { Locale } from '#lib/i18n/locale.ts'
import type { Translate } from '#lib/i18n/translate.ts'
import { formatCount } from '#lib/text/format.ts'

type PageLinksProps = { t: Translate; locale: Locale; page: number; size: number; total: number; hrefFor: (page: number) => string }

/** The range that is shown, and links to the pages before and after; nothing if everything is on one page. */
export function PageLinks({ t, locale, page, size, total, hrefFor }: PageLinksProps) {
  if (total <= size && page === 0) return null
  const words = (count: number) => formatCount(count, locale)
  const isPastEnd = page * size >= total
  return (
    <nav aria-label={t('table.pages')} className="no-print flex flex-wrap items-center justify-between gap-3">
      <p className="tabular text-ink-2">
        {isPastEnd
          ? t('table.none')
          : t('table.range', { from: words(page * size + 1), to: words(Math.min(total, (page + 1) * size)), total: words(total) })}
      </p>
      <div className="flex gap-2">
        {page > 0 && <ButtonLink href={hrefFor(page - 1)}>{t('table.previous')}</ButtonLink>}
        {(page + 1) * size < total && <ButtonLink href={hrefFor(page + 1)}>{t('table.next')}</ButtonLink>}
      </div>
    </nav>
  )
}
