import { SYSTEM_ACTOR } from '#server/audit/command-actor.ts'
import { namedMode } from '#server/config.ts'
import type { Pool } from '#server/database/pool.ts'
import { blockPerson, createPerson } from '#server/people/accounts.ts'
import { setMembership } from '#server/people/membership.ts'
import { mailPasswordLink } from '#server/people/sign-in/password-resets.ts'
import { resetPersonPassword } from '#server/people/sign-in/passwords.ts'
import { resetSecondFactor } from '#server/people/sign-in/second-factor.ts'
import { bumpSessionEpoch } from '#server/people/sign-in/sessions.ts'
import { AdminError, type Command, type Options, type Output, optional, required, unwrap } from './command.ts'
import { applicationOf, personIdOf, rolesOf, textOf, yesOrNo } from './read-options.ts'

const actor = SYSTEM_ACTOR

/** People of the back office. */
export const PERSON_COMMANDS: readonly Command[] = [
  {
    name: 'create-person',
    summary: 'Make a person a member of an application (maker, checker, finance, administrator, engineer)',
    options: { application: required('ID|NAME'), email: required('EMAIL'), name: required('NAME'), roles: required('ROLE,ROLE') },
    async run(pool, options) {
      const { applicationId } = await applicationOf(pool, options)
      const created = unwrap(
        await createPerson(pool, {
          applicationId,
          email: textOf(options, 'email'),
          name: textOf(options, 'name'),
          roles: rolesOf(options),
          actor,
        }),
      )
      const facts = { applicationId, personId: created.personId, email: textOf(options, 'email').trim().toLowerCase() }
      if (created.password === null) return { facts: { ...facts, password: 'unchanged: this person works in another application already' } }
      return { facts: { ...facts, password: created.password }, showsSecret: true }
    },
  },
  {
    name: 'set-roles',
    summary: 'Change the roles of a person in an application, or end the membership',
    options: { application: required('ID|NAME'), email: required('EMAIL'), roles: required('ROLE,ROLE'), active: optional('yes|no') },
    async run(pool, options) {
      const { applicationId } = await applicationOf(pool, options)
      const roles = rolesOf(options)
      unwrap(
        await setMembership(pool, {
          applicationId,
          personId: await personIdOf(pool, options),
          roles,
          isActive: yesOrNo(options, 'active'),
          actor,
        }),
      )
      return { facts: { applicationId, email: textOf(options, 'email'), roles: roles.join(',') } }
    },
  },
  {
    name: 'reset-password',
    summary: 'Set a new password for a person and end their sessions',
    options: { email: required('EMAIL') },
    async run(pool, options) {
      const { password } = unwrap(await resetPersonPassword(pool, { personId: await personIdOf(pool, options), actor }))
      return { facts: { email: textOf(options, 'email'), password }, showsSecret: true }
    },
  },
  {
    name: 'mail-password-link',
    summary: 'End the password and sessions of a person, and mail them a link to choose a new one',
    options: { email: required('EMAIL') },
    usesSecrets: true,
    async run(pool, options, environment) {
      if (namedMode(environment) === 'production' && !environment['SMTP_URL'])
        throw new AdminError('SMTP_URL is missing: without a mail server use reset-password.')
      unwrap(await mailPasswordLink(pool, { personId: await personIdOf(pool, options), actor }))
      return { facts: { email: textOf(options, 'email'), link: 'sent by e-mail within a minute, valid for 24 hours' } }
    },
  },
  {
    name: 'reset-second-factor',
    summary: 'Switch off the second factor of a person who lost it',
    options: { email: required('EMAIL') },
    async run(pool, options) {
      unwrap(await resetSecondFactor(pool, { personId: await personIdOf(pool, options), actor }))
      return { facts: { email: textOf(options, 'email'), secondFactor: 'off' } }
    },
  },
  {
    name: 'sign-out',
    summary: 'End all sessions of a person',
    options: { email: required('EMAIL') },
    async run(pool, options) {
      unwrap(await bumpSessionEpoch(pool, { personId: await personIdOf(pool, options), actor }))
      return { facts: { email: textOf(options, 'email'), sessions: 'ended' } }
    },
  },
  {
    name: 'block person',
    summary: 'Block a person everywhere, immediately',
    options: { email: required('EMAIL') },
    run: (pool, options) => setBlocked(pool, options, true),
  },
  {
    name: 'unblock person',
    summary: 'Unblock a person',
    options: { email: required('EMAIL') },
    run: (pool, options) => setBlocked(pool, options, false),
  },
]

async function setBlocked(pool: Pool, options: Options, isBlocked: boolean): Promise<Output> {
  unwrap(await blockPerson(pool, { personId: await personIdOf(pool, options), isBlocked, actor }))
  return { facts: { email: textOf(options, 'email'), blocked: isBlocked ? 'yes' : 'no' } }
}
