import { readFileSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'

export const SANDBOX_URL_VARIABLE = 'SANDBOX_URL'
export const SANDBOX_FOLDER_VARIABLE = 'SANDBOX_FOLDER'

const sandboxSchema = z.object({
  applications: z.array(
    z.object({
      name: z.string(),
      apiId: z.string(),
      apiKey: z.string(),
      username: z.string(),
      password: z.string(),
      people: z.array(
        z.object({ id: z.string(), name: z.string(), email: z.string(), password: z.string().nullable(), roles: z.array(z.string()) }),
      ),
    }),
  ),
})

export type SandboxPerson = {
  id: string
  name: string
  email: string
  password: string
  roles: string[]
  application: string
  slug: string
}

/** The address of the sandbox under test. */
export function sandboxUrl(): string {
  return process.env[SANDBOX_URL_VARIABLE] ?? ''
}

/** The sandbox's file of applications and people. */
export function readSandbox(): z.infer<typeof sandboxSchema> {
  return sandboxSchema.parse(JSON.parse(readFileSync(path.join(process.env[SANDBOX_FOLDER_VARIABLE] ?? '.data', 'sandbox.json'), 'utf8')))
}

/** Returns the `place`-th person with exactly these roles in the first application (or another one). */
export function personWith(roles: readonly string[], place = 0, applicationPlace = 0): SandboxPerson {
  const application = readSandbox().applications[applicationPlace]
  const person = application?.people.filter((each) => each.roles.toSorted().join() === roles.toSorted().join())[place]
  if (!application || !person?.password) throw new Error(`The sandbox has nobody who is ${roles.join(' and ')}`)
  return { ...person, password: person.password, application: application.name, slug: application.name.toLowerCase().replaceAll(' ', '-') }
}
