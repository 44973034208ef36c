import type { Metadata } from 'next'
import { PageHeader } from '#components/ui/page-header.tsx'
import { requireActor } from '#server/http/back-office/actor.ts'
import { getT } from '#server/http/back-office/preferences.ts'

type Props = { params: Promise<{ application: string }> }

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getT())('frame.overview') }
}

export default async function OverviewPage({ params }: Props) {
  const { application } = await params
  const [t] = await Promise.all([getT(), requireActor(application, 'overview:read')])
  return <PageHeader title={t('frame.overview')} />
}
