import { signIn, test } from './fixtures.ts'
import { personWith } from './sandbox.ts'

test('shots', async ({ browser }) => {
  for (const [locale, scheme] of [
    ['en-GB', 'light'],
    ['fr-FR', 'dark'],
  ] as const) {
    const context = await browser.newContext({ locale, colorScheme: scheme })
    const page = await context.newPage()
    const who = personWith(['finance'])
    await signIn(page, who, `/${who.slug}/close/wallets`)
    for (const width of [1440, 360]) {
      await page.setViewportSize({ width, height: 1000 })
      await page.screenshot({ path: `/tmp/shots/wallets-${locale}-${width}.png`, fullPage: true })
    }
    await context.close()
  }
})
