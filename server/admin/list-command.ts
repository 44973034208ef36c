import { listAccess, listApplications } from '#server/applications/access-queries.ts'
import type { Pool } from '#server/database/pool.ts'
import { type Command, type Options, type Output, optional } from './command.ts'
import { applicationOf } from './read-options.ts'

/** All applications, or who and what may use one of them. */
export const LIST_COMMAND: Command = {
  name: 'list',
  summary: 'Show all applications, or who may use one',
  options: { application: optional('ID|NAME') },
  run: list,
}

async function list(pool: Pool, options: Options): Promise<Output> {
  if (options['application'] === undefined) {
    const applications = await listApplications(pool)
    return {
      tables: {
        applications: applications.map((one) => ({
          name: one.name,
          applicationId: one.applicationId,
          apiId: one.apiId,
          timeZone: one.timeZone,
          enabled: yes(one.isEnabled),
          runsInstallation: yes(one.runsInstallation),
        })),
      },
    }
  }
  const application = await applicationOf(pool, options)
  const { keys, apiUsers, addresses, people } = await listAccess(pool, application.applicationId)
  return {
    facts: {
      name: application.name,
      applicationId: application.applicationId,
      apiId: application.apiId,
      timeZone: application.timeZone,
      enabled: yes(application.isEnabled),
    },
    tables: {
      keys: keys.map((key) => ({
        key: key.apiKeyId,
        name: key.name,
        begins: key.keyPrefix,
        expires: day(key.expiresAt),
        revoked: day(key.revokedAt),
      })),
      apiUsers: apiUsers.map((user) => ({ username: user.username, apiUserId: user.apiUserId, blocked: yes(user.isBlocked) })),
      addresses: addresses.map((entry) => ({ network: entry.network, note: entry.note })),
      people: people.map((person) => ({
        name: person.name,
        email: person.email,
        personId: person.personId,
        roles: person.roles.join(','),
        active: yes(person.isActive && !person.isBlocked),
        secondFactor: yes(person.hasSecondFactor),
      })),
    },
  }
}

function yes(value: boolean): string {
  return value ? 'yes' : 'no'
}

function day(at: Date | null): string {
  return at ? at.toISOString() : '-'
}
