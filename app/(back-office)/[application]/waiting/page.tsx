import { queries, seed } from '#lib/pages/queries.ts'
import { requireActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { readWaiting } from '#server/reports/waiting/read-waiting.ts'
import { PageContent, type PageProps, titled } from '../_components/page-content.tsx'
import { WaitingBoard } from './_components/waiting-board.tsx'

export const generateMetadata = titled('frame.waiting')

/** Everything that waits for the person who is signed in, over all pages. */
export default async function WaitingPage({ params }: PageProps) {
  const { application } = await params
  const actor = await requireActor(application, 'overview:read')
  const waiting = await readWaiting(backOfficeRuntime().pool, actor)
  return (
    <PageContent
      words={['waiting.', 'change.kind.', 'close.class.', 'transaction.event.']}
      data={[seed(queries.waitingItems(application), waiting)]}
    >
      <WaitingBoard application={application} />
    </PageContent>
  )
}
