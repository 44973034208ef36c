import { notFound } from 'next/navigation'
import { getViewer } from '#server/back-office/actor.ts'

type Props = { params: Promise<{ application: string }> }

/** Every address of an application that names no page: without it, Next would answer outside the frame. */
export default async function UnknownPage({ params }: Props) {
  const { application } = await params
  await getViewer(application)
  return notFound()
}
