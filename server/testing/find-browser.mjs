// Plain JavaScript, like the test program that uses it.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome']

/**
 * The path of a Chromium: one that is installed, else Playwright's own, else the system's package, which only root can
 * install. Throws an Error with one sentence when there is none to be had.
 */
export async function findBrowser(root, say) {
  const installed = process.env.CHROMIUM_PATH || onSearchPath() || (await playwrightsOwn(root))
  if (installed) return installed
  say('Fetching a browser for the tests (only this once) …')
  spawnSync(process.execPath, [path.join(root, 'node_modules/playwright/cli.js'), 'install', 'chromium'], {
    cwd: root,
    stdio: 'ignore',
    timeout: 120_000,
  })
  const fetched = await playwrightsOwn(root)
  if (fetched) return fetched
  if (process.getuid?.() === 0) {
    const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    spawnSync('apt-get', ['update', '-qq'], { stdio: 'ignore', env: environment })
    spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium'], { stdio: 'ignore', env: environment })
    const packaged = onSearchPath()
    if (packaged) return packaged
  }
  throw new Error('The tests of the pages need a Chromium: install one (apt-get install chromium) or set CHROMIUM_PATH.')
}

function onSearchPath() {
  const folders = (process.env.PATH ?? '').split(path.delimiter)
  return NAMES.flatMap((name) => folders.map((folder) => path.join(folder, name))).find((file) => existsSync(file))
}

async function playwrightsOwn(root) {
  const { chromium } = await import(path.join(root, 'node_modules/playwright/index.mjs'))
  const file = chromium.executablePath()
  return existsSync(file) ? file : undefined
}
