import { existsSync, readdirSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { createVisitorReader } from '#server/back-office/session/session-token.ts'
import { createFrontDoor } from '#server/http/door/front-door.ts'
import { reportUnexpected } from '#server/report-unexpected.ts'
import type { Runtime } from '#server/runtime.ts'

/** The checkout or installation that this process runs from: where Next finds the built pages. */
const ROOT_FOLDER = fileURLToPath(new URL('../../../', import.meta.url))

type Web = {
  port: number
  /** Resolves when the pages can be served; the API is there before. */
  pagesReady: Promise<void>
  drain(): Promise<void>
}

type Handler = (incoming: IncomingMessage, outgoing: ServerResponse) => unknown

/** Opens the front door of this process. The pages are loaded afterwards, and requests for one wait until then. */
export async function startWeb(runtime: Runtime, options: { sharesPort: boolean }): Promise<Web> {
  const { config } = runtime
  const pages = Promise.withResolvers<Handler>()
  let handler: Handler | undefined
  const files = listBuiltFiles()
  const frontDoor = createFrontDoor({
    runtime,
    pages: { readVisitor: createVisitorReader({ ...config, clock: runtime.clock }), isFile: (path) => files.has(path) },
    fallback: (incoming, outgoing) => {
      if (handler) return handler(incoming, outgoing)
      pages.promise.then(
        (ready) => ready(incoming, outgoing),
        // biome-ignore lint/plugin/no-silent-error: the failure was reported when the pages were loaded; each request is told.
        () => refusePage(outgoing),
      )
    },
  })
  const port = await frontDoor.listen({ host: config.host, port: config.port, reusePort: options.sharesPort })
  const pagesReady = loadPages({ hostname: config.host, port }).then(
    (loaded) => {
      handler = loaded
      pages.resolve(loaded)
    },
    (error: unknown) => {
      reportUnexpected('pages: load', error, { message: 'The pages could not be loaded; only the API is served' })
      pages.reject(error)
    },
  )
  // It was reported above. Without a listener, a rejection that no request waits for would end the process.
  // biome-ignore lint/plugin/no-silent-error: the comment above says why.
  pages.promise.catch(() => undefined)
  return { port, pagesReady, drain: () => frontDoor.drain() }
}

/** The address is for Next's own requests to itself: after an action that redirects it fetches the next page. */
async function loadPages(address: { hostname: string; port: number }): Promise<Handler> {
  // As `--experimental-next-config-strip-types` does: Node reads next.config.ts. Otherwise Next loads its TypeScript compiler into every process that
  // serves pages, which then holds 27 MB more.
  // biome-ignore lint/style/noProcessEnv: a switch of Next, which reads it nowhere else.
  process.env['__NEXT_NODE_NATIVE_TS_LOADER_ENABLED'] = 'true'
  const { default: next } = await import('next')
  const application = next({ dev: false, dir: ROOT_FOLDER, ...address })
  await application.prepare()
  return application.getRequestHandler()
}

/** The paths of the files that the build made for browsers; none where there is no build. */
function listBuiltFiles(): ReadonlySet<string> {
  const folder = path.join(ROOT_FOLDER, '.next', 'static')
  if (!existsSync(folder)) return new Set()
  return new Set(
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => `/_next/static/${name.replaceAll(path.sep, '/')}`),
  )
}

function refusePage(outgoing: ServerResponse): void {
  outgoing.writeHead(503, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' })
  outgoing.end('The pages are not built. Run npm start, which builds them.\n')
}
