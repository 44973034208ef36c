import type { Page } from 'playwright/test'
import { expect, waitForScripts } from './fixtures.ts'

/** The header of Airtel's statements. */
export const AIRTEL_HEADER = 'Transaction ID,Transaction Date,Description,Status,Transaction Amount,Credit/Debit,Fee,Balance'

export type StatementUpload = { wallet: string; content: string | Buffer; name?: string }

/** Uploads a statement, and is on its page afterwards. */
export async function uploadStatement(
  page: Page,
  slug: string,
  { wallet, content, name = 'statement.csv' }: StatementUpload,
): Promise<void> {
  await page.goto(`/${slug}/close/statements/new`)
  await waitForScripts(page)
  await page.getByLabel('Wallet').selectOption(wallet)
  const buffer = Buffer.from(content)
  await page.getByLabel('Statement', { exact: true }).setInputFiles({ name, mimeType: 'application/octet-stream', buffer })
  await page.getByRole('button', { name: 'Upload and check' }).click()
}

/** Imports the checked statement on the page, which must have this number of new lines. */
export async function importStatement(page: Page, newLines: number): Promise<void> {
  await page.getByRole('button', { name: `Import new lines: ${newLines}`, exact: true }).click({ timeout: 40_000 })
  await expect(page.getByRole('link', { name: 'Compare the last day' })).toBeVisible({ timeout: 40_000 })
}
