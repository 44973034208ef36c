import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe } from 'node:diagnostics_channel'
import { readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { registerHooks, SourceMap } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'oxc-parser'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
/** The followed code: our own, as Node loads it and as it is in the chunks of Next's build. */
const OWN = /^(?:(?:server|lib|app|components)\/|proxy\.ts$|instrumentation\.ts$)/
const TESTING = /\.test\.ts$|\/testing(?:\/|\.ts$)/

type Trace = { files: Set<string> }
/** The trace of the current request; undefined outside the request that is followed. */
const current = new AsyncLocalStorage<Trace | undefined>()

declare global {
  /** Called by every function of the code that is followed, with the file of its source. */
  var enterFile: ((file: string) => void) | undefined
}

/**
 * Rewrites all modules that are loaded from now on, so that each of their functions reports its file when it is entered. Call it before the
 * service is imported. Returns a function that follows one request to this process: `matches` selects it by its method and target, and
 * the result are the files of the functions that it entered, in the order of their first entry.
 */
export function traceCalls(): (matches: (request: IncomingMessage) => boolean, send: () => Promise<void>) => Promise<string[]> {
  globalThis.enterFile = (file) => void current.getStore()?.files.add(file)
  // The service keeps batches free of the context of the request that happened to start them. Here they are part of its trace.
  AsyncLocalStorage.snapshot =
    () =>
    (work, ...args) =>
      work(...args)
  registerHooks({
    load(url, context, nextLoad) {
      const file = url.startsWith('file:') ? path.relative(ROOT, fileURLToPath(url)) : ''
      if (/^\.next\/server\/.*\.js$/.test(file)) {
        const text = readFileSync(path.join(ROOT, file), 'utf8')
        return { format: 'commonjs', source: instrument(text, file, sourceOfChunk(file, text)), shortCircuit: true }
      }
      const loaded = nextLoad(url, context)
      if (!OWN.test(file) || TESTING.test(file) || !loaded.source) return loaded
      return { ...loaded, source: instrument(String(loaded.source), file, () => file) }
    },
  })
  let wanted: ((request: IncomingMessage) => boolean) | undefined
  let trace: Trace = { files: new Set() }
  subscribe('http.server.request.start', (message) => {
    // Node documents the fields of this channel and does not declare their types.
    const { request } = message as { request: IncomingMessage }
    current.enterWith(wanted?.(request) ? trace : undefined)
  })
  return async (matches, send) => {
    wanted = matches
    trace = { files: new Set() }
    await send()
    wanted = undefined
    return [...trace.files]
  }
}

type SourceOf = (offset: number) => string | undefined

/** Says from which source file of ours a place in a chunk of the build comes; undefined for other code. */
function sourceOfChunk(chunk: string, text: string): SourceOf {
  let map: SourceMap
  try {
    map = new SourceMap(JSON.parse(readFileSync(path.join(ROOT, `${chunk}.map`), 'utf8')))
  } catch {
    // A chunk without a map contains none of our code.
    return () => undefined
  }
  const lineStarts = [0, ...[...text.matchAll(/\n/g)].map((match) => match.index + 1)]
  return (offset) => {
    const line = lineStarts.findLastIndex((start) => start <= offset)
    const entry = map.findEntry(line, offset - (lineStarts[line] ?? 0))
    if (!('originalSource' in entry)) return undefined
    const source = path.join(path.dirname(chunk), decodeURI(entry.originalSource))
    return OWN.test(source) ? source : undefined
  }
}

type Node = { type: string; start: number; end: number; [field: string]: unknown }

/** Returns the text with a report at the beginning of each function whose source file is known. */
function instrument(text: string, file: string, sourceOf: SourceOf): string {
  const insertions: { at: number; text: string }[] = []
  visit(parseSync(file, text).program as unknown as Node, (node) => {
    const body = node['body'] as Node | null | undefined
    if (!/^(?:Arrow)?Function(?:Declaration|Expression)?/.test(node.type) || !body?.type) return
    const source = sourceOf(body.start)
    if (source === undefined) return
    const report = `globalThis.enterFile?.(${JSON.stringify(source)})`
    if (body.type === 'BlockStatement' || body.type === 'FunctionBody') {
      const directives = (body['body'] as Node[]).filter((statement) => typeof statement['directive'] === 'string')
      insertions.push({ at: directives.at(-1)?.end ?? body.start + 1, text: `;${report};` })
    } else insertions.push({ at: body.start, text: `(${report},` }, { at: body.end, text: ')' })
  })
  const pieces: string[] = []
  let end = 0
  for (const { at, text: inserted } of insertions.toSorted((left, right) => left.at - right.at)) {
    pieces.push(text.slice(end, at), inserted)
    end = at
  }
  return [...pieces, text.slice(end)].join('')
}

function visit(value: unknown, onNode: (node: Node) => void): void {
  if (Array.isArray(value)) for (const each of value) visit(each, onNode)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return
  if (typeof (value as Node).type === 'string') onNode(value as Node)
  for (const each of Object.values(value)) visit(each, onNode)
}
