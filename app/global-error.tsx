'use client'

import './globals.css'
import { lazy, Suspense } from 'react'

/** The same in every language. */
const PRODUCT = 'Countersign'

// Every page loads this file, so the texts are loaded on demand. Without a connection they cannot be, and the page is only a link.
// biome-ignore lint/plugin/no-silent-error: the comment above says why.
const LastResort = lazy(() => import('#components/frame/last-resort.tsx').catch(() => ({ default: () => <a href="/">{PRODUCT}</a> })))

export default function GlobalError({ error }: { error: Error & { digest?: string } }) {
  return (
    <html lang="en">
      <body>
        <Suspense>
          <LastResort reference={error.digest ?? '–'} />
        </Suspense>
      </body>
    </html>
  )
}
