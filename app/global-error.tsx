'use client'

import './globals.css'
import { lazy, Suspense } from 'react'

// Every page carries this file, so its words come only when they are needed.
const LastResort = lazy(() => import('#components/frame/last-resort.tsx'))

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
