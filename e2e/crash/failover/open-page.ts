import { type Browser, chromium, type Page } from 'playwright'
import { signIn } from '#e2e/roles/callers.ts'
import { findBrowser } from '#server/testing/runner/find-browser.mjs'
import type { Sandbox } from '#server/testing/service/start-sandbox.ts'
import { ROOT } from '#server/testing/service/start-service.ts'
import { waitUntil } from '#server/testing/wait-until.ts'

const LIMIT_MS = 60_000

/** The list of transactions as a person has it open in a browser during the whole run. */
export class OpenPage {
  /** The acts that a person would have needed. */
  readonly failures: string[] = []
  readonly #browser: Browser
  readonly #page: Page
  #loads = 0
  /** When the list was last read with success. */
  #readAtMs = 0

  private constructor(browser: Browser, page: Page) {
    this.#browser = browser
    this.#page = page
  }

  static async open(service: Sandbox, say: (line: string) => void): Promise<OpenPage> {
    const [application] = service.readSandbox().applications
    const person = application?.people.find(({ roles }) => roles.includes('finance'))
    if (!application || !person) throw new Error('The sandbox has no person who reads transactions')
    const browser = await chromium.launch({ executablePath: await findBrowser(ROOT, say) })
    const [name = '', ...value] = (await signIn(service.baseUrl, person.email, person.password)).split('=')
    const context = await browser.newContext({ baseURL: service.baseUrl, locale: 'en-GB' })
    await context.addCookies([{ name, value: value.join('='), url: service.baseUrl }])
    const opened = new OpenPage(browser, await context.newPage())
    await opened.#load(`/${application.name.toLowerCase().replaceAll(' ', '-')}/transactions`)
    return opened
  }

  async #load(address: string): Promise<void> {
    this.#page.on('load', () => this.#loads++)
    this.#page.on('response', (response) => {
      if (response.ok() && new URL(response.url()).pathname.endsWith(`/api/back-office${address}`)) this.#readAtMs = performance.now()
    })
    await this.#page.goto(address)
    await waitUntil('the list is read again when it changes', () => this.#readAtMs > 0)
  }

  /** Waits until the page has read the list after that moment and says nothing about a lost connection. Returns when it did. */
  async untilCurrent(sinceMs: number): Promise<number> {
    const away = this.#page.getByText(/The database cannot be reached|Cannot reach the service/)
    const isCurrent = async () => this.#readAtMs > sinceMs && (await away.count()) === 0
    await waitUntil('the open page is current', isCurrent, { limitMs: LIMIT_MS, pauseMs: 50 }).catch((error: Error) => {
      this.failures.push(error.message)
    })
    if (this.#loads > 1) this.failures.push('the page was loaded again')
    this.#loads = 1
    return performance.now()
  }

  close(): Promise<void> {
    return this.#browser.close()
  }
}
