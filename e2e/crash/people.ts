import { setTimeout as delay } from 'node:timers/promises'
import { signIn } from '#e2e/roles/callers.ts'
import { readBuiltActions } from '#e2e/roles/find-endpoints.ts'

const ANSWER_LIMIT_MS = 20_000
const RETRY_PAUSE_MS = 50

/** An action's answer; undefined: no answer arrived, and the outcome is unknown. */
type ActionAnswer = { ok: true; value: unknown } | { ok: false; error: { code: string } } | undefined

/** A person at work in the back office: the same requests as their browser sends, and nothing else. */
export class Person {
  readonly slug: string
  /** Answers that say that the service failed, where it should have said that the outcome is unknown. */
  readonly wrongFailures: string[] = []
  #baseUrl: string
  #cookie: string
  #actions: ReadonlyMap<string, { id: string; page: string }>

  private constructor(baseUrl: string, slug: string, cookie: string, actions: ReadonlyMap<string, { id: string; page: string }>) {
    this.#baseUrl = baseUrl
    this.slug = slug
    this.#cookie = cookie
    this.#actions = actions
  }

  /** Signs in at the service; throws when it refuses the person. */
  static async signIn(baseUrl: string, slug: string, { email, password }: { email: string; password: string }): Promise<Person> {
    const actions = new Map((await readBuiltActions()).map(({ name, id, page }) => [name.split(' ').at(-1) ?? '', { id, page }]))
    return new Person(baseUrl, slug, await signIn(baseUrl, email, password), actions)
  }

  /** Calls a server action of a page. `example` fills the other parts of the page's address, which the action does not read. */
  async act(action: string, input: unknown, example: string): Promise<ActionAnswer> {
    const built = this.#actions.get(action)
    if (!built) throw new Error(`The build has no action ${action}`)
    const page = built.page.replaceAll(/\[(\w+)\]/g, (_, name) => (name === 'application' ? this.slug : example))
    const headers = {
      'next-action': built.id,
      accept: 'text/x-component',
      'content-type': 'text/plain;charset=UTF-8',
      origin: this.#baseUrl,
    }
    const text = await this.#request(page, { method: 'POST', headers, body: JSON.stringify([this.slug, input]) })
    const result = text && /^\d+:(\{"ok":.*\})$/m.exec(text)?.[1]
    const answer = result ? (JSON.parse(result) as ActionAnswer) : undefined
    if (answer && !answer.ok && answer.error.code === 'unexpected') this.wrongFailures.push(`${action} failed with ${result}`)
    return answer
  }

  /** Requests a data address of the application; undefined when there was no answer, or none with success. */
  async request(path: string, options: { method?: string; headers?: Record<string, string>; body?: string } = {}): Promise<unknown> {
    const text = await this.#request(`/api/back-office/${this.slug}/${path}`, options)
    return text === undefined ? undefined : JSON.parse(text)
  }

  async #request(path: string, { headers, ...options }: RequestInit & { headers?: Record<string, string> }): Promise<string | undefined> {
    try {
      const answer = await fetch(this.#baseUrl + path, {
        ...options,
        redirect: 'manual',
        headers: { cookie: this.#cookie, ...headers },
        signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
      })
      const text = await answer.text()
      if (answer.ok) return text
      if (answer.status >= 500 && answer.status !== 503) this.wrongFailures.push(`${answer.status} of ${path} with ${text.slice(0, 200)}`)
    } catch {
      // The service was killed: below.
    }
    await delay(RETRY_PAUSE_MS)
    return undefined
  }
}
