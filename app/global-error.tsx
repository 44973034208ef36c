'use client'

import './globals.css'
import { lazy, Suspense } from 'react'

// Every page loads this file, so the texts are loaded on demand.
// Without a connection they cannot be, and the page is only a link.
const LastResort = lazy(() => import('#components/frame/last-resort.tsx').catch(() => ({ default: () => <a href="/">Countersign</a> })))

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
