import { defineConfig } from 'playwright/test'

/** Pages in a browser, on the production build, with a sandbox of their own. `CHROMIUM_PATH` names the browser. */
export default defineConfig({
  testDir: 'web',
  testMatch: '**/*.spec.ts',
  globalSetup: './web/start-sandbox.ts',
  outputDir: 'test-results',
  timeout: 60_000,
  expect: { timeout: 10_000 },
  workers: 2,
  fullyParallel: true,
  forbidOnly: true,
  retries: 0,
  reporter: [['list']],
  use: {
    viewport: { width: 1440, height: 900 },
    locale: 'en-GB',
    timezoneId: 'UTC',
    trace: 'retain-on-failure',
    launchOptions: {
      executablePath: process.env['CHROMIUM_PATH'] || '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
    },
  },
})
