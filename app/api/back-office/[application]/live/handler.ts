import type { NextRequest } from 'next/server'
import { findActor } from '#server/back-office/actor.ts'
import { refuseData } from '#server/back-office/data-route.ts'
import { liveStream } from '#server/back-office/live-hub.ts'
import { readSession } from '#server/back-office/session/session.ts'

/** The events that keep open pages fresh; see components/frame/later/use-live-updates.ts for the other end. */
export async function GET(request: NextRequest, { params }: { params: Promise<{ application: string }> }): Promise<Response> {
  const { application } = await params
  const [actor, session] = await Promise.all([findActor(application, 'overview:read'), readSession()])
  if (!actor.ok || !session) return refuseData(actor.ok ? 'unauthenticated' : actor.error)
  return liveStream({ ...session, applicationId: actor.value.applicationId }, request.signal)
}
