import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { Page } from 'playwright/test'
import type { Pool } from '#server/database/pool.ts'
import { closeAtEnd, closeEverything, listen, startReceiver } from '#server/webhooks/testing.ts'
import { expect, expectAccessibleEverywhere, signIn, test, waitForScripts } from './fixtures.ts'
import { newPerson, sandboxPool } from './people.ts'

let pool: Pool
test.beforeAll(async () => {
  pool = await sandboxPool()
})
test.afterAll(async () => {
  await closeEverything()
  await pool.end()
})

test('a choice about e-mails and browsers is stored and shown again; the sandbox shows the mails to members, written in their language', async ({
  page,
}) => {
  const person = await newPerson(pool, ['engineer', 'checker'])
  await signIn(page, person, `/${person.slug}/settings`)
  await waitForScripts(page)
  await page.getByLabel('Your batch has ended', { exact: true }).selectOption('E-mail in the daily digest')
  await page.getByLabel('In my browsers: Your batch has ended').uncheck()
  await page.getByLabel('Daily digest at').selectOption('08:00')
  await page.getByLabel('Quiet hours from').selectOption('22:00')
  await page.getByLabel('Until').selectOption('06:00')
  await page.getByRole('button', { name: 'Apply' }).click()
  await expect
    .poll(
      async () =>
        (
          await pool.query('select delivery, in_browser from notice_preferences where person_id = $1 and cause = $2', [
            person.id,
            'batch_ended',
          ])
        ).rows,
    )
    .toEqual([{ delivery: 'digest', in_browser: false }])
  await page.reload()
  await expect(page.getByLabel('Your batch has ended', { exact: true })).toHaveValue('digest')
  await expect(page.getByLabel('In my browsers: Your batch has ended')).not.toBeChecked()
  await expect(page.getByLabel('In my browsers: Your payment failed')).toBeChecked()
  await expect(page.getByLabel('Daily digest at')).toHaveValue('8')
  await expect(page.getByLabel('Quiet hours from')).toHaveValue('22')
  await expect(page.getByLabel('Until')).toHaveValue('6')
  await pool.query(
    `insert into sandbox_mails values ('<' || gen_random_uuid() || '>', $1, 'Votre lot est terminé', 'https://pay.example/x')`,
    [person.email],
  )
  await pool.query(`insert into sandbox_mails values ('<' || gen_random_uuid() || '>', 'stranger@elsewhere.example', 'A secret', 'x')`)
  await page.goto(`/${person.slug}/sandbox`)
  await page.getByRole('link', { name: 'Mails', exact: true }).click()
  await expect(page.getByRole('main').getByText(person.email)).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Votre lot est terminé' }).first()).toBeVisible()
  await expect(page.getByText('stranger@elsewhere.example')).toHaveCount(0)
})

/** The push service of this browser, which no test reaches, is this address. */
async function standInForPush(page: Page, endpoint: string): Promise<void> {
  await page.context().grantPermissions(['notifications'])
  await page.addInitScript((address) => {
    const p256dh = 'BIfBy6mENmwdFxcCmp_38l4aibGJm_OB_szyEOCIG_xKbNq0lrnuGb5C9h-RphfTK7sH1S6GBqS7jsCexkK9rLk'
    const subscription = {
      endpoint: address,
      toJSON: () => ({ keys: { p256dh, auth: 'AAAAAAAAAAAAAAAAAAAAAA' } }),
      unsubscribe: async () => localStorage.removeItem('subscribed'),
    }
    const replaced = {
      getSubscription: async () => (localStorage.getItem('subscribed') ? subscription : null),
      async subscribe({ applicationServerKey }: PushSubscriptionOptionsInit) {
        localStorage.setItem('subscribed', String(applicationServerKey))
        return subscription
      },
    }
    Object.assign(PushManager.prototype, replaced)
  }, endpoint)
}

test('a person turns notifications on in a browser, tests it, and removes it; without permission nothing is turned on', async ({
  page,
}) => {
  const receiver = await startReceiver((response) => response.writeHead(201).end())
  const person = await newPerson(pool, ['checker'])
  await standInForPush(page, receiver.url)
  await page.context().clearPermissions()
  await signIn(page, person, `/${person.slug}/settings`)
  const section = page.getByRole('region', { name: 'Your browsers' })
  const turnOn = section.getByRole('button', { name: 'Turn on notifications in this browser' })
  await expect(section.getByText('A sandbox sends notifications too')).toBeVisible()
  await turnOn.click()
  await expect(section.getByText('Your browser does not allow notifications from this site.')).toBeVisible()
  await page.context().grantPermissions(['notifications'])
  await turnOn.click()
  await expect(section.getByText('· this browser')).toBeVisible()
  await expect(turnOn).toHaveCount(0)
  const [key] = (await pool.query('select public_key from push_keys')).rows
  expect(await page.evaluate(() => localStorage.getItem('subscribed'))).toBe(key.public_key)
  await expectAccessibleEverywhere(page)
  await section.getByRole('button', { name: 'Test: Chrome' }).click()
  await expect(page.getByRole('region', { name: 'Notifications' }).getByText('Test sent.')).toBeVisible()
  expect(receiver.received.map(({ headers }) => headers['content-encoding'])).toEqual(['aes128gcm'])
  await section.getByRole('button', { name: 'Test: Chrome' }).click()
  await expect(section.getByText('A test was sent just now.')).toBeVisible()
  await section.getByRole('button', { name: 'Remove: Chrome' }).click()
  await expect(section.getByText('No browsers')).toBeVisible()
  await expect(turnOn).toBeVisible()
  expect((await pool.query('select 1 from notice_browsers where person_id = $1', [person.id])).rowCount).toBe(0)
})

/** A site of its own with nothing but the worker, with the policy that it has in the product, and an empty page. */
async function startWorkerSite(): Promise<string> {
  const worker = await readFile(new URL('../../public/push-worker.js', import.meta.url))
  const server = createServer((request, response) => {
    const isWorker = request.url === '/push-worker.js'
    response.setHeader('content-type', isWorker ? 'text/javascript' : 'text/html')
    if (isWorker) response.setHeader('content-security-policy', "default-src 'none'")
    response.end(isWorker ? worker : '<!doctype html><link rel="icon" href="data:,">')
  })
  closeAtEnd({
    close() {
      server.closeAllConnections()
      server.close()
    },
  })
  return `http://127.0.0.1:${await listen(server)}`
}

test('the worker shows what is pushed to it, controls no page, and opens pages of this site only', async ({ page }) => {
  const origin = await startWorkerSite()
  await page.context().grantPermissions(['notifications'])
  const session = await page.context().newCDPSession(page)
  const registered = new Promise<string>((resolve) =>
    session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations: [found] }) => found && resolve(found.registrationId)),
  )
  await session.send('ServiceWorker.enable')
  await page.goto(origin)
  const [worker] = await Promise.all([
    page.context().waitForEvent('serviceworker'),
    page.evaluate(async () => {
      const { installing: worker } = await navigator.serviceWorker.register('/push-worker.js', { scope: '/push-worker.js' })
      await new Promise<void>((resolve) =>
        worker?.addEventListener('statechange', () => {
          if (worker.state === 'activated') resolve()
        }),
      )
    }),
  ])
  // A browser without windows has nowhere to show them.
  await worker.evaluate(() => {
    const { registration } = globalThis as unknown as { registration: ServiceWorkerRegistration }
    const shown: unknown[] = []
    registration.showNotification = async (title, options) => void shown.push([title, options])
    Object.assign(globalThis, { shown })
  })
  const data = JSON.stringify({ title: 'Douala & Co', body: 'Your payment failed', path: '/a/approvals', lang: 'en', tag: 'x' })
  await session.send('ServiceWorker.deliverPushMessage', { origin, registrationId: await registered, data })
  const options = { body: 'Your payment failed', lang: 'en', tag: 'x', data: { path: '/a/approvals' } }
  await expect.poll(() => worker.evaluate(() => Reflect.get(globalThis, 'shown'))).toEqual([['Douala & Co', options]])
  expect(await page.evaluate(() => navigator.serviceWorker.controller)).toBeNull()
  const opened = await worker.evaluate(
    async (paths) => {
      // The types of this function are those of a page; it runs in the worker.
      const scope = globalThis as unknown as { clients: { openWindow(url: string): Promise<null> }; openPage(path: string): Promise<void> }
      const urls: string[] = []
      scope.clients.openWindow = async (url) => {
        urls.push(url)
        return null
      }
      for (const each of paths) await scope.openPage(each)
      return urls
    },
    ['/a/approvals', '//evil.example/x', 'https://evil.example/x', 'javascript:alert(1)'],
  )
  expect(opened).toEqual([`${origin}/a/approvals`])
})
