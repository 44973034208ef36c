'use client'

import { useRouter } from 'next/navigation'
import { useTransition } from 'react'
import { Select } from '#components/ui/field.tsx'
import { useT } from '#components/ui/translations.tsx'
import { READER_COOKIE } from '#lib/partner/reference.ts'

const YEAR_S = 365 * 24 * 60 * 60

type Application = { slug: string; name: string }

/** Chooses the application whose values are in the examples. */
export function ReaderChoice({ application, applications }: { application: Application; applications: readonly Application[] }) {
  const t = useT()
  const router = useRouter()
  const [isPending, startTransition] = useTransition()
  function choose(slug: string) {
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser; the value is the slug of an application.
    document.cookie = `${READER_COOKIE}=${encodeURIComponent(slug)}; path=/docs; max-age=${YEAR_S}; samesite=lax`
    startTransition(() => router.refresh())
  }
  return (
    <div className="max-w-72">
      <Select
        id="docs-application"
        label={t('run.application')}
        value={application.slug}
        disabled={isPending}
        onChange={({ target }) => choose(target.value)}
      >
        {applications.map(({ slug, name }) => (
          <option key={slug} value={slug}>
            {name}
          </option>
        ))}
      </Select>
    </div>
  )
}
