import { spawn } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'

type PageScripts = { bytes: number; files: number }

/** The JavaScript of an empty page of the pinned Next; `measureEmptyPage` and the bench measure it. */
export const EMPTY_PAGE_BYTES = 134_580
/** How much more a page of ours may load. */
export const SCRIPT_BAR = 1.355

/**
 * How many bytes of JavaScript (gzip) a page loads before any interaction: the scripts that its HTML names, without the
 * polyfills that no current browser fetches (`noModule`). `cookie` signs in.
 */
export async function measurePageScripts(baseUrl: string, address: string, cookie = ''): Promise<PageScripts> {
  const response = await fetch(baseUrl + address, { headers: { cookie }, redirect: 'manual' })
  if (response.status !== 200) throw new Error(`${address} answered ${response.status}`)
  const html = await response.text()
  const skipped = new Set([...html.matchAll(/<script[^>]*\ssrc="([^"]+)"[^>]*\snomodule/gi)].map((match) => match[1] ?? ''))
  // Those in script elements and those that only the data of the server components names: a browser loads both.
  const named = [...html.matchAll(/\/_next\/static\/[^"'\\\s]+?\.js(?:\?[^"'\\\s]*)?/g)].map((match) => match[0])
  const sources = new Set(named.filter((source) => !skipped.has(source)))
  let bytes = 0
  for (const source of sources)
    bytes += gzipSync(Buffer.from(await (await fetch(new URL(source, baseUrl))).arrayBuffer()), { level: 9 }).length
  return { bytes, files: sources.size }
}

const EMPTY_APP: Readonly<Record<string, string>> = {
  'package.json': '{"name":"empty","private":true,"type":"module"}',
  'next.config.mjs': 'export default {}',
  'app/layout.jsx': 'export default function Layout({ children }) { return <html lang="en"><body>{children}</body></html> }',
  'app/page.jsx': 'export const dynamic = "force-dynamic"\nexport default function Page() { return <h1>Empty</h1> }',
}

/** Builds and measures an empty page with the installed Next: the base of every page's budget. */
export async function measureEmptyPage(projectDirectory: string): Promise<PageScripts> {
  const folder = await mkdtemp(path.join(tmpdir(), 'empty-page-'))
  try {
    await mkdir(path.join(folder, 'app'))
    for (const [file, text] of Object.entries(EMPTY_APP)) await writeFile(path.join(folder, file), text)
    // Turbopack resolves nothing outside the folder, so the three packages it needs come along.
    const lock = JSON.parse(await readFile(path.join(projectDirectory, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { dependencies?: Record<string, string> }>
    }
    for (const name of closure(lock.packages, ['next', 'react', 'react-dom'])) {
      await cp(path.join(projectDirectory, 'node_modules', name), path.join(folder, 'node_modules', name), {
        recursive: true,
        errorOnExist: false,
      })
    }
    await run(folder, [path.join('node_modules', 'next', 'dist', 'bin', 'next'), 'build'])
    const server = spawn(process.execPath, [path.join('node_modules', 'next', 'dist', 'bin', 'next'), 'start', '-p', '0'], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    try {
      const baseUrl = await addressOf(server.stdout)
      return await measurePageScripts(baseUrl, '/')
    } finally {
      server.kill('SIGTERM')
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The packages that these need, as the lock file knows them (top level only, which is where npm puts them). */
function closure(
  packages: Record<string, { dependencies?: Record<string, string>; optionalDependencies?: Record<string, string> }>,
  roots: readonly string[],
): Set<string> {
  const found = new Set<string>()
  const waiting = [...roots]
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const entry = packages[`node_modules/${name}`]
    if (!entry || found.has(name)) continue
    found.add(name)
    waiting.push(
      ...Object.keys(entry.dependencies ?? {}),
      ...Object.keys(entry.optionalDependencies ?? {}).filter((each) => each.startsWith('@next/swc-linux-x64-gnu')),
    )
  }
  return found
}

function run(cwd: string, args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...args], {
      cwd,
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1' },
    })
    child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`next build ended with ${code}`))))
  })
}

async function addressOf(output: Readable): Promise<string> {
  let text = ''
  // A pipe that is closed would end the server at its next line.
  for await (const chunk of output.iterator({ destroyOnReturn: false })) {
    text += String(chunk)
    const address = /http:\/\/localhost:(\d+)/.exec(text)?.[1]
    if (!address) continue
    output.resume()
    return `http://127.0.0.1:${address}`
  }
  throw new Error('next start said no address')
}
