import { dehydrate } from '@tanstack/react-query'
import type { Metadata } from 'next'
import type { ReactNode } from 'react'
import { PageData } from '#components/frame/page-data.tsx'
import { PageMessages } from '#components/ui/translations.tsx'
import { type MessageKey, pickMessages } from '#lib/i18n/translate.ts'
import type { Seed } from '#lib/pages/queries.ts'
import { createQueryClient } from '#lib/pages/query-client.ts'
import { getT, readLocale } from '#server/back-office/preferences.ts'
import { MESSAGES } from '#server/messages.ts'

/** The address of a page: the application, the page's variable segments, and its query. */
export type PageProps<Segment extends string = never> = {
  params: Promise<Record<'application' | Segment, string>>
  searchParams: Promise<Record<string, string | string[] | undefined>>
}

/** Returns `generateMetadata` of a page with a fixed title. */
export function titled(title: MessageKey): () => Promise<Metadata> {
  return async () => ({ title: (await getT())(title) })
}

type Props = {
  /** The texts of its client components, by the beginning of their keys. */
  words: readonly string[]
  /** The data that it has read, for client components that read it again later. */
  data?: readonly Seed[]
  children: ReactNode
}

/** Passes texts and first data to the client components of a page. */
export async function PageContent({ words, data = [], children }: Props) {
  const messages = pickMessages(MESSAGES[await readLocale()], words)
  const content = <PageMessages messages={messages}>{children}</PageMessages>
  if (data.length === 0) return content
  const client = createQueryClient()
  for (const [queryKey, value] of data) client.setQueryData(queryKey, value)
  return <PageData state={dehydrate(client)}>{content}</PageData>
}
