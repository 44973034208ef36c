import type { QueryClient } from '@tanstack/react-query'
import { cache } from 'react'
import { createQueryClient } from '#lib/pages/query-client.ts'

/** The query client that a page fills before it renders: one per request, so that nobody sees another person's data. */
export const getQueryClient: () => QueryClient = cache(createQueryClient)
