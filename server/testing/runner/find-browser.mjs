// Plain JavaScript, like the test program that uses it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import path from 'node:path'

/** The headless shell first: it draws no windows, and needs three fifths of the CPU time. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome']

/**
 * The path of a Chromium: one that is installed, else the system's package, which only root can install, else Playwright's own. This process
 * goes on while one is fetched. Throws an Error with one sentence when there is none to be had.
 */
export async function findBrowser(root, say) {
  const installed = process.env.CHROMIUM_PATH || onSearchPath() || (await playwrightsOwn(root))
  if (installed) return installed
  say('Fetching a browser for the tests (only this once) …')
  const fetched = (await installPackage()) || (await fetchPlaywrightsOwn(root))
  if (fetched) return fetched
  throw new Error('The tests of the pages need a Chromium: install one (apt-get install chromium) or set CHROMIUM_PATH.')
}

async function installPackage() {
  if (process.getuid?.() !== 0) return undefined
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  await attempt('apt-get', ['update', '-qq'], { env })
  // Older releases of Debian have no package of the shell alone.
  for (const name of ['chromium-headless-shell', 'chromium']) {
    await attempt('apt-get', ['install', '-y', '-qq', '--no-install-recommends', name], { env })
    const packaged = onSearchPath()
    if (packaged) return packaged
  }
  return undefined
}

async function fetchPlaywrightsOwn(root) {
  const program = path.join(root, 'node_modules/playwright/cli.js')
  await attempt(process.execPath, [program, 'install', 'chromium'], { cwd: root, timeout: 120_000 })
  return playwrightsOwn(root)
}

/** Runs a program that may fail: whether there is a browser afterwards is what counts. It has no input, so that no question can hold it up. */
async function attempt(program, args, options) {
  await once(spawn(program, args, { ...options, stdio: 'ignore' }), 'exit').catch(() => undefined)
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
