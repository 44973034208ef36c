import type { Page } from 'playwright/test'
import { expect, expectAccessibleEverywhere, signIn, test, waitForScripts } from './fixtures.ts'
import { personWith, type SandboxPerson } from './sandbox.ts'

const WALLET = 'MLMOOV'

async function open(page: Page, person: SandboxPerson): Promise<void> {
  await page.context().clearCookies()
  await signIn(page, person, `/${person.slug}/close/wallets/${WALLET}`)
  await waitForScripts(page)
}

test('finance proposes other matching rules, both people see the replay of 90 days, and an administrator makes them version 2', async ({
  page,
}) => {
  const [fatou, serge] = [personWith(['finance']), personWith(['administrator'])]
  await open(page, fatou)
  const rules = page.getByRole('region', { name: 'Matching by number and amount' })
  await rules.getByRole('button', { name: 'Change rules' }).focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Hours after its end').fill('200')
  await dialog.getByRole('button', { name: 'Propose change' }).click()
  await expect(dialog.getByText('Enter whole hours from 1 to 168.')).toBeVisible()
  await dialog.getByLabel('Hours after its end').fill('48')
  await dialog.getByLabel('Pairs').selectOption('none')
  await dialog.getByRole('button', { name: 'Propose change' }).click()
  const replay = page.getByRole('region', { name: 'Replay of the last 90 days', exact: true })
  await expect(replay).toBeVisible()
  await expect(replay.getByText(/without an id\. Paired: \d+ by the present rules, 0 by the proposed ones\./)).toBeVisible()
  await expect(page.getByRole('button', { name: 'Confirm' })).toHaveCount(0)
  await expectAccessibleEverywhere(page)

  await open(page, serge)
  await expect(replay).toBeVisible()
  await page.getByRole('button', { name: 'Confirm' }).click()
  await dialog.getByRole('button', { name: 'Confirm' }).click()
  await expect(rules.getByText('None: ids only')).toBeVisible()
  await expect(rules.getByText('48', { exact: true })).toBeVisible()
  await expect(replay).toHaveCount(0)
})
