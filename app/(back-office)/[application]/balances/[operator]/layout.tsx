import { notFound } from 'next/navigation'
import type { ReactNode } from 'react'
import { operatorSchema } from '#lib/schemas/page-address.ts'
import { requireActor } from '#server/back-office/actor.ts'

type Props = { children: ReactNode; params: Promise<{ application: string; operator: string }> }

/**
 * Refuses before the skeleton of the page goes out, so that a refusal has its own status. What protects the figures is the page's own
 * question about its actor.
 */
export default async function StatementLayout({ children, params }: Props) {
  const { application, operator } = await params
  await requireActor(application, 'statement:read')
  if (!operatorSchema.safeParse(operator).success) return notFound()
  return children
}
