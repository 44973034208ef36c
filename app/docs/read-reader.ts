import { cookies } from 'next/headers'
import { cache } from 'react'
import { READER_COOKIE } from '#lib/partner/reference.ts'
import { can } from '#lib/people/permissions.ts'
import { makeApplicationKnown } from '#server/applications/directory.ts'
import { backOfficeRuntime } from '#server/back-office/back-office-runtime.ts'
import { currentPerson } from '#server/back-office/current-person.ts'

/** An engineer who reads the reference. `canRun`: this is a sandbox, where a page may make the calls of the examples. */
export type Reader = {
  baseUrl: string
  application: { slug: string; name: string }
  apiId: string
  applications: readonly { slug: string; name: string }[]
  canRun: boolean
}

/** Returns the reader who is signed in and may see credentials of an application; the one that this browser chose, else the first. */
export const readReader = cache(async (): Promise<Reader | undefined> => {
  const person = await currentPerson()
  if (!person) return undefined
  const memberships = person.memberships.filter(
    ({ roles, requiresSecondFactor }) => can(roles, 'sandbox:use') && (person.hasProvenSecondFactor || !requiresSecondFactor),
  )
  const wanted = (await cookies()).get(READER_COOKIE)?.value
  const chosen = memberships.find(({ slug }) => slug === wanted) ?? memberships[0]
  if (!chosen) return undefined
  const { config, directory } = backOfficeRuntime()
  await makeApplicationKnown(directory, chosen.applicationId)
  const apiId = directory.find(chosen.applicationId)?.apiId
  if (apiId === undefined) return undefined
  return {
    baseUrl: config.publicUrl,
    apiId,
    application: { slug: chosen.slug, name: chosen.name },
    applications: memberships.map(({ slug, name }) => ({ slug, name })),
    canRun: config.isSandbox,
  }
})
