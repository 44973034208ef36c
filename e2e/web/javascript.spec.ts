import { expect, signInWithoutPage, test } from './fixtures.ts'
import { EMPTY_PAGE_BYTES, measurePageScripts, SCRIPT_BAR } from './page-javascript.ts'
import { personWith, sandboxUrl } from './sandbox.ts'

const PAGES = [
  '',
  '/rules',
  '/rules/1',
  '/approvals',
  '/approvals?queue=decided',
  '/transactions',
  '/transactions/exports',
  '/totals',
  '/totals/pivot',
  '/balances',
  '/settings',
  '/waiting',
]

/** Pages that other roles may not open. */
const OWN_PAGES: Readonly<Partial<Record<string, readonly string[]>>> = {
  finance: ['/balances/MOMOCM', '/funding'],
  administrator: ['/people', '/rules/edit', '/audit', '/application', '/funding', '/operators', '/operators/MOMOCM'],
  engineer: ['/keys', '/webhooks', '/webhooks/signing', '/sandbox'],
}

for (const role of ['maker', 'checker', 'finance', 'administrator', 'engineer'] as const) {
  test(`no page of a ${role} loads more than ${SCRIPT_BAR} times the JavaScript of an empty page`, async ({ context }) => {
    const person = personWith([role])
    await signInWithoutPage(context.request, person)
    const cookie = (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join('; ')
    const own = [...(OWN_PAGES[role] ?? []), ...(role === 'administrator' ? [`/people/${person.id}`] : [])]
    for (const address of [...PAGES, ...own]) {
      const { bytes } = await measurePageScripts(sandboxUrl(), `/${person.slug}${address}`, cookie)
      expect(bytes, address).toBeLessThanOrEqual(EMPTY_PAGE_BYTES * SCRIPT_BAR)
    }
  })
}

test('the documentation loads at most 1.1 times the JavaScript of an empty page, for a reader without a session', async () => {
  for (const address of ['/docs', '/docs/collect', '/docs/webhooks']) {
    const { bytes } = await measurePageScripts(sandboxUrl(), address, '')
    expect(bytes, address).toBeLessThanOrEqual(EMPTY_PAGE_BYTES * 1.1)
  }
})
