import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { freePort } from '#server/database/embedded/embedded.ts'
import type { Pool } from '#server/database/pool.ts'
import { readSandboxSecrets } from '#server/process/sandbox-secrets.ts'
import { PRODUCTION, type Service, startService } from '#server/testing/service/start-service.ts'
import { startTcpProxy, type TcpProxy } from '#server/testing/tcp-proxy.ts'
import { expect, expectAccessibleEverywhere, LOOKS, signIn, test } from './fixtures.ts'
import { newPerson, sandboxPool } from './people.ts'
import { SANDBOX_FOLDER_VARIABLE } from './sandbox.ts'

test.describe.configure({ mode: 'default' })

let pool: Pool
let folder: string
let databaseUrl: string
let proxy: TcpProxy
/** A second service on the sandbox's database, which can lose it. */
let service: Service

test.beforeAll(async () => {
  pool = await sandboxPool()
  folder = await mkdtemp(path.join(tmpdir(), 'countersign-away-'))
  const sandboxFolder = process.env[SANDBOX_FOLDER_VARIABLE] ?? '.data'
  databaseUrl = (await readFile(path.join(sandboxFolder, 'postgres.url'), 'utf8')).trim()
  proxy = await startTcpProxy(databaseUrl)
  service = await startService({
    environment: {
      ...PRODUCTION,
      SANDBOX: '1',
      ROLE: 'web',
      LOG_LEVEL: 'fatal',
      DATABASE_URL: proxy.urlOf(databaseUrl),
      DATA_DIR: folder,
      SIMULATOR_PORT: String(await freePort()),
      SECRETS_KEY: readSandboxSecrets(sandboxFolder)?.SECRETS_KEY ?? '',
    },
  })
})
test.afterAll(async () => {
  await service.stop()
  await proxy.close()
  await pool.end()
  await rm(folder, { recursive: true, force: true })
})

/** Accepts connections again, at the same address. */
async function bringBack(): Promise<void> {
  proxy = await startTcpProxy(databaseUrl, { port: Number(new URL(proxy.urlOf(databaseUrl)).port) })
}

const WORDS = {
  'en-GB': { title: 'The database cannot be reached', lost: /Nothing was lost/, overview: 'Overview', totals: 'Totals' },
  'fr-CM': { title: 'La base de données est injoignable', lost: /Rien n’a été perdu/, overview: 'Aperçu', totals: 'Totaux' },
}

for (const { locale, colorScheme } of LOOKS) {
  test(`the database is away: opened pages, new pages and links say so in ${locale}, and open automatically once it is back`, async ({
    browser,
  }) => {
    const words = WORDS[locale]
    const person = await newPerson(pool, ['finance'])
    // Not the page of the fixture: the browser reports the answers that this test causes.
    const context = await browser.newContext({ baseURL: service.baseUrl, locale, colorScheme })
    const [open, followed, loaded] = [await context.newPage(), await context.newPage(), await context.newPage()]
    for (const page of [open, followed]) await signIn(page, person)
    await proxy.close()

    await expect(open.getByText(words.title)).toBeVisible()
    await expect(open.getByText(words.lost)).toBeVisible()
    await expectAccessibleEverywhere(open)
    await expect(open.getByRole('heading', { level: 1, name: words.overview })).toBeVisible()

    await followed.getByRole('link', { name: words.totals }).first().click()
    await expect(followed.getByRole('heading', { name: words.title })).toBeVisible()
    await expectAccessibleEverywhere(followed)

    const answer = await loaded.goto(`/${person.slug}/totals`)
    expect(answer?.status()).toBe(503)
    await expect(loaded.getByRole('heading', { level: 1, name: words.title })).toBeVisible()
    await expect(loaded.getByText(words.lost)).toBeVisible()
    await expectAccessibleEverywhere(loaded)

    await bringBack()
    for (const page of [followed, loaded]) await expect(page.getByRole('heading', { level: 1, name: words.totals })).toBeVisible()
    await expect(open.getByText(words.title)).toHaveCount(0, { timeout: 60_000 })
    await context.close()
  })
}
