import { CREATION_STATUSES, TRANSITIONS } from '#lib/payments/transactions/transaction-status.ts'
import type { SourceFile } from './imports.ts'
import { LAYERS } from './layers.ts'

const BEGIN = '<!-- npm run map: begin -->'
const END = '<!-- npm run map: end -->'

/** The two graphs of server/README.md as text: the states and their edges, the folders and what each imports. */
export function drawMap(files: readonly SourceFile[]): string {
  return ['```text', ...drawStates(), '```', '', '```text', ...drawFolders(files), '```'].join('\n')
}

/** The README with the map between its two marks replaced. Throws when the marks are missing. */
export function withMap(readme: string, map: string): string {
  const [begin, end] = [readme.indexOf(BEGIN), readme.indexOf(END)]
  if (begin < 0 || end < begin) throw new Error(`The README needs the lines ${BEGIN} and ${END}.`)
  return `${readme.slice(0, begin + BEGIN.length)}\n${map}\n${readme.slice(end)}`
}

function drawStates(): string[] {
  const edges = [
    ...CREATION_STATUSES.map((to) => ({ event: 'created', from: '(new)', to })),
    ...Object.entries(TRANSITIONS).map(([event, edge]) => ({ event, ...edge })),
  ]
  const fromWidth = Math.max(...edges.map(({ from }) => from.length))
  const eventWidth = Math.max(...edges.map(({ event }) => event.length))
  return edges.map(({ event, from, to }) => `${from.padEnd(fromWidth)}  ── ${event.padEnd(eventWidth)} ──>  ${to}`)
}

/** From the top layer down; each folder with the folders of lower layers that it imports. Tests are left out. */
function drawFolders(files: readonly SourceFile[]): string[] {
  const order = LAYERS.flat()
  const width = Math.max(...order.map((part) => part.length))
  return LAYERS.toReversed().flatMap((parts, index) => [
    ...(index === 0 ? [] : ['']),
    ...parts.map((part) => `${part.padEnd(width)}  -> ${importedBy(part, files, order).join(' ') || '-'}`),
  ])
}

function importedBy(part: string, files: readonly SourceFile[], order: readonly string[]): string[] {
  const own = files.filter((file) => partOf(file.path) === part && !/\.test\.tsx?$|\/testing(\/|\.ts$)/.test(file.path))
  const targets = new Set(own.flatMap((file) => file.imports.map(partOf)))
  return order.filter((candidate) => candidate !== part && targets.has(candidate)).toReversed()
}

/** The folder or file directly below server/ that a path belongs to. */
function partOf(file: string): string | undefined {
  return file.startsWith('server/') ? file.split('/')[1] : undefined
}
