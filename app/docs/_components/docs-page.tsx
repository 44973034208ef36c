import type { ReactNode } from 'react'
import type { Translate } from '#lib/i18n/translate.ts'
import { GUIDES, type Guide } from '#lib/reference.ts'

/** A guide: its title, what is on the page, and its sections. */
export function DocsPage({ t, guide, children }: { t: Translate; guide: Guide; children: ReactNode }) {
  return (
    <article className="max-w-[860px]">
      <h1 className="text-figure">{t(`docs.guide.${guide}`)}</h1>
      <nav aria-label={t('docs.on')} className="mt-4 border-l-2 border-line pl-4">
        <ul lang="en" className="grid gap-1 text-ink-2">
          {GUIDES[guide].map(([id, title]) => (
            <li key={id}>
              <a href={`#${id}`} className="hover:text-ink hover:underline">
                {title}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      {children}
    </article>
  )
}
