import { ButtonLink, buttonClass } from '#components/ui/button.tsx'
import { useTranslations } from '#components/ui/translations.tsx'
import { useRouter } from '#components/ui/use-router.ts'
import { formatCount } from '#lib/text/format.ts'

type Props = {
  /** Zero-based, as in the API. May be past the end: the address can name any page. */
  page: number
  size: number
  total: number
  sizes?: readonly number[]
  /** The address of a page at a size. */
  hrefFor: (page: number, size: number) => string
}

/** The range shown, the page size, and links to the previous and next page. Each page has its own address. */
export function PaginationBar({ page, size, total, sizes = [25, 50, 100, 200], hrefFor }: Props) {
  const { t, locale } = useTranslations()
  const router = useRouter()
  const pages = Math.max(1, Math.ceil(total / size))
  const isPastEnd = page >= pages
  const from = total === 0 ? 0 : page * size + 1
  const to = Math.min(total, (page + 1) * size)
  const words = (count: number) => formatCount(count, locale)
  return (
    <nav aria-label={t('table.pages')} className="no-print mt-3 flex flex-wrap items-center justify-between gap-3">
      <p className="text-ink-2 tabular">
        {total === 0 || isPastEnd ? t('table.none') : t('table.range', { from: words(from), to: words(to), total: words(total) })}
      </p>
      <div className="flex flex-wrap items-center gap-2">
        <label className="contents">
          <span className="sr-only">{t('table.pageSize')}</span>
          <select
            value={size}
            onChange={(event) => router.push(hrefFor(0, Number(event.target.value)), { scroll: false })}
            className={buttonClass('quiet', 'medium', 'font-regular')}
          >
            {sizes.map((choice) => (
              <option key={choice} value={choice}>
                {t('table.rows', { count: choice })}
              </option>
            ))}
          </select>
        </label>
        {page > 0 ? (
          <ButtonLink href={hrefFor(Math.min(page, pages) - 1, size)}>{t('table.previous')}</ButtonLink>
        ) : (
          <span className={buttonClass('quiet', 'medium', 'text-quiet! hover:bg-surface!')}>{t('table.previous')}</span>
        )}
        {!isPastEnd && <span className="text-ink-2 tabular">{t('table.page', { page: words(page + 1), pages: words(pages) })}</span>}
        {page + 1 < pages ? (
          <ButtonLink href={hrefFor(page + 1, size)}>{t('table.next')}</ButtonLink>
        ) : (
          <span className={buttonClass('quiet', 'medium', 'text-quiet! hover:bg-surface!')}>{t('table.next')}</span>
        )}
      </div>
    </nav>
  )
}
