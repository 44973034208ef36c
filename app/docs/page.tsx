import type { Metadata } from 'next'
import { cookies } from 'next/headers'
import { isSampleLanguage, SAMPLE_COOKIE } from '#lib/partner/reference.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { getT } from '#server/back-office/preferences.ts'
import { readReference } from '#server/http/reference/read-reference.ts'
import { StartGuide } from './_components/guides/start-guide.tsx'
import { DocsPage } from './_components/prose.tsx'
import { readReader } from './read-reader.ts'

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getT())('docs.title') }
}

/** The first page of the API reference: from credentials to the first payment. Public. */
export default async function DocsHomePage() {
  const [t, jar, reader] = await Promise.all([getT(), cookies(), readReader()])
  const language = jar.get(SAMPLE_COOKIE)?.value
  const { config } = backOfficeRuntime()
  return (
    <DocsPage t={t} guide="start">
      <StartGuide
        t={t}
        operations={readReference().operations}
        language={isSampleLanguage(language) ? language : 'curl'}
        baseUrl={config.publicUrl}
        apiId={reader?.apiId}
        sandboxFile={config.isSandbox ? `${config.dataDirectory}/sandbox.json` : undefined}
      />
    </DocsPage>
  )
}
