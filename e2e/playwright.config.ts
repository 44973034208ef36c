import { defineConfig } from 'playwright/test'

/** Parts of Chromium's address bar that each new window would build and no test looks at: three pages, almost a second of CPU time per test. */
const ADDRESS_BAR = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'WebUIOmniboxFullPopup']
/** Playwright's own list (`chromiumSwitches.ts`), repeated because a second `--disable-features` replaces the first. */
const DISABLED_BY_PLAYWRIGHT = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
]

/** Pages in a browser, on the production build, with a sandbox of their own. `CHROMIUM_PATH` names the browser. */
export default defineConfig({
  testDir: 'web',
  testMatch: '**/*.spec.ts',
  globalSetup: './web/global-setup.ts',
  outputDir: 'test-results',
  // Two browsers, a server and a database share two cores here.
  timeout: 180_000,
  expect: { timeout: 20_000 },
  workers: 2,
  fullyParallel: true,
  forbidOnly: true,
  // `npm test` allows one: on a machine that others load too, a page that was merely slow gets a second look, and the report names it.
  retries: 0,
  reporter: [['list']],
  // The sweep's tests take longest: started last, one of them would run alone at the end while a core is idle.
  projects: [
    { name: 'sweep', testMatch: 'sweep.spec.ts' },
    { name: 'tasks', testIgnore: 'sweep.spec.ts' },
  ],
  use: {
    viewport: { width: 1440, height: 900 },
    locale: 'en-GB',
    timezoneId: 'UTC',
    // Recording every test costs a third of all CPU time. `--trace retain-on-failure` records the first attempt too.
    trace: 'on-first-retry',
    // A control that is not ready by then is missing: the test need not wait minutes to report it.
    actionTimeout: 30_000,
    launchOptions: {
      executablePath: process.env['CHROMIUM_PATH'] || '/usr/bin/chromium',
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-dev-shm-usage',
        // A page lives for seconds: optimising its scripts costs a tenth of all CPU time and is never worth it.
        '--js-flags=--no-maglev --no-turbofan',
        `--disable-features=${[...DISABLED_BY_PLAYWRIGHT, ...ADDRESS_BAR].join(',')}`,
      ],
    },
  },
})
