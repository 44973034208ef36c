import { headers } from 'next/headers'
import { forbidden, notFound, redirect } from 'next/navigation'
import { cache } from 'react'
import { PRODUCT_PLACES, paths } from '#lib/pages/paths.ts'
import { can, type Permission } from '#lib/people/permissions.ts'
import type { Viewer } from '#lib/people/viewer.ts'
import { type ActorRefusal, err, ok, type Result } from '#lib/result.ts'
import type { BusinessTime } from '#lib/time/format-time.ts'
import { makeApplicationKnown } from '#server/applications/directory.ts'
import type { PersonActor, SessionPerson } from '#server/people/sign-in/sessions.ts'
import { backOfficeRuntime } from './back-office-runtime.ts'
import { currentMembership, currentPerson } from './current-person.ts'
import { readLocale } from './preferences.ts'
import { offersPasskeys } from './session/passkeys.ts'

/** A signed-in person at work in one application; accepted by every command as its actor. */
export type BackOfficeActor = PersonActor &
  BusinessTime & {
    applicationSlug: string
    applicationName: string
    runsInstallation: boolean
    /** The absent checkers in whose place the person decides about payments. */
    deputyFor: Membership['deputyFor']
  }

type Membership = SessionPerson['memberships'][number]

/** Whether a person may: by their roles, or to decide about payments as a deputy. It is the only right that a deputy has. */
function isAllowed({ roles, deputyFor }: Membership, permission: Permission): boolean {
  return can(roles, permission) || (permission === 'transaction:decide' && deputyFor.length > 0)
}

/**
 * The actor of this request in the application with this slug or id, from the database. An application that does not exist and
 * one that the person does not belong to are the same answer. With `permission`, also whether the roles allow it.
 */
export async function findActor(application: string, permission?: Permission): Promise<Result<BackOfficeActor, ActorRefusal>> {
  const person = await currentPerson()
  if (!person) return err('unauthenticated')
  const membership = await currentMembership(application)
  if (!membership) return err('not_found')
  if (membership.requiresSecondFactor && !person.hasProvenSecondFactor) return err('second_factor_required')
  if (permission && !isAllowed(membership, permission)) return err('forbidden')
  await makeApplicationKnown(backOfficeRuntime().directory, membership.applicationId)
  return ok(toActor(person, membership))
}

/**
 * The actor of a page. Nobody signed in: on to the sign-in page and back here. A second factor is demanded: on to setting it
 * up. No such application: the not-found page. A role that does not allow it: the forbidden page of the frame.
 */
export async function requireActor(application: string, permission: Permission): Promise<BackOfficeActor> {
  const found = await findActor(application, permission)
  if (found.ok) return found.value
  switch (found.error) {
    case 'unauthenticated':
      return redirect(paths.signIn(await wantedAddress(application)))
    case 'second_factor_required':
      return redirect(paths.enrol(await wantedAddress(application)))
    case 'not_found':
      return notFound()
    case 'forbidden':
      return forbidden()
  }
}

/** The actor of a page that exists only in the application that runs the installation, such as those of the accounts at operators. */
export async function requireInstaller(application: string, permission: Permission): Promise<BackOfficeActor> {
  const actor = await requireActor(application, permission)
  return actor.runsInstallation ? actor : notFound()
}

/** Returns the actor of this request as the frame and its pages show it: name, roles, applications, language, zone. */
export const getViewer = cache(async (application: string): Promise<Viewer> => {
  const person = await currentPerson()
  if (!person) return PRODUCT_PLACES.has(application) ? notFound() : redirect(paths.signIn(await wantedAddress(application)))
  const membership = await currentMembership(application)
  if (membership?.slug !== application) return notFound()
  if (membership.requiresSecondFactor && !person.hasProvenSecondFactor) return redirect(paths.enrol(await wantedAddress(application)))
  return {
    personId: person.personId,
    name: person.name,
    email: person.email,
    locale: await readLocale(),
    timeZone: person.timeZone ?? membership.timeZone,
    roles: membership.roles,
    proofs: { hasCodes: person.hasCodes, hasPasskey: person.hasPasskey && offersPasskeys() },
    codesGuessedAt: person.codesGuessedAt,
    application: {
      applicationId: membership.applicationId,
      slug: membership.slug,
      name: membership.name,
      timeZone: membership.timeZone,
      runsInstallation: membership.runsInstallation,
    },
    applications: person.memberships.map(({ slug, name }) => ({ slug, name })),
    hasInvitations: person.hasInvitations,
  }
})

/** The address this request is for, as the proxy noted it; the overview where it did not. */
async function wantedAddress(application: string): Promise<string> {
  return (await headers()).get('x-wanted-address') ?? paths.overview(application)
}

function toActor(person: SessionPerson, membership: Membership): BackOfficeActor {
  return {
    kind: 'person',
    id: person.personId,
    applicationId: membership.applicationId,
    applicationSlug: membership.slug,
    applicationName: membership.name,
    runsInstallation: membership.runsInstallation,
    deputyFor: membership.deputyFor,
    businessZone: membership.timeZone,
    roles: membership.roles,
    name: person.name,
    email: person.email,
    locale: person.locale,
    timeZone: person.timeZone,
    hasSecondFactor: person.hasSecondFactor,
    mustEnrolSecondFactor: membership.requiresSecondFactor && !person.hasProvenSecondFactor,
    isApplicationEnabled: membership.isEnabled,
  }
}
