import { notFound } from 'next/navigation'
import type { Permission } from '#lib/people/permissions.ts'
import { runsInstallation } from '#server/applications/terms-store.ts'
import { type BackOfficeActor, requireActor } from '#server/back-office/actor.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'

/** The actor of a page of the close of day. The accounts at operators are the installation's: elsewhere these pages do not exist. */
export async function requireCloser(application: string, permission: Permission = 'reconciliation:read'): Promise<BackOfficeActor> {
  const actor = await requireActor(application, permission)
  if (!(await runsInstallation(backOfficeRuntime().pool, actor.applicationId))) notFound()
  return actor
}
