import { expect, signInWithoutPage, test, waitForScripts } from './fixtures.ts'
import { personWith } from './sandbox.ts'

test('zz', async ({ page }) => {
  const person = personWith(['maker', 'checker'])
  await signInWithoutPage(page.request, person)
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('Performance.enable')
  for (const p of ['', '/transactions', '/approvals', '/transactions', '/settings', '/batches']) {
    await page.goto(`/${person.slug}${p}`)
    await waitForScripts(page)
    const { metrics } = await cdp.send('Performance.getMetrics')
    console.log(
      p,
      metrics
        .filter((m) => /Duration|Process|Nodes|JSHeapUsed/.test(m.name))
        .map((m) => `${m.name}=${m.value > 1000 ? m.value : m.value.toFixed(3)}`)
        .join(' '),
    )
  }
  expect(1).toBe(1)
})
