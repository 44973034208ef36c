import { glob, readFile } from 'node:fs/promises'

/** A page or data address as the source tree has it: `GET /[application]/totals`. */
export type Endpoint = { name: string; kind: 'page' | 'data' }

/** Every page, and every method of every data address of the back office, from the source tree. Partner endpoints are not meant. */
export async function findRoutes(): Promise<Endpoint[]> {
  const endpoints: Endpoint[] = []
  for await (const file of glob('app/**/page.tsx')) endpoints.push({ name: `GET ${addressOf(file, /\/?page\.tsx$/)}`, kind: 'page' })
  for await (const file of glob('app/**/{route,handler}.ts')) {
    if (/^app\/(?:api\/v1|api\/v2|api\/auth|public|health|metrics|operators|pay)\//.test(file)) continue
    const source = await readFile(file, 'utf8')
    if (file.endsWith('/[...path]/route.ts')) {
      endpoints.push(...(await dataOf(file.replace('route.ts', 'data-table.ts'), addressOf(file, /\/\[\.\.\.path\]\/route\.ts$/))))
      continue
    }
    const methods = [...source.matchAll(/\b(GET|POST|PUT|PATCH|DELETE)\b(?=\s*[(,}=])/g)].map((match) => match[1])
    for (const method of new Set(methods))
      endpoints.push({ name: `${method} ${addressOf(file, /\/(?:route|handler)\.ts$/)}`, kind: 'data' })
  }
  return endpoints.toSorted((left, right) => left.name.localeCompare(right.name))
}

/** The addresses of a table of data, which one route answers. */
async function dataOf(table: string, address: string): Promise<Endpoint[]> {
  const paths = [...(await readFile(table, 'utf8')).matchAll(/^ {2}'?([\w[\]/-]+)'?: (?:data|byId)\(/gm)].map((match) => match[1])
  if (paths.length === 0) throw new Error(`${table} names no address`)
  return paths.map((path) => ({ name: `GET ${address}/${path}`, kind: 'data' }))
}

function addressOf(file: string, ending: RegExp): string {
  const address = file
    .replace(/^app/, '')
    .replace(ending, '')
    .replaceAll(/\/\([^)]+\)/g, '')
  return address === '' ? '/' : address
}

/** Every export of every file of server actions, by file and name. An action inside another file has no name: there are none. */
export async function findActions(): Promise<string[]> {
  const names: string[] = []
  for await (const file of glob('{app,components}/**/*.{ts,tsx}')) {
    const source = await readFile(file, 'utf8')
    if (!/['"]use server['"]/.test(source)) continue
    if (!/^['"]use server['"]/.test(source)) throw new Error(`${file} holds a server action that is not an export of an actions file`)
    for (const match of source.matchAll(/^export\s+(?:async\s+function|const)\s+(\w+)/gm)) names.push(`${file} ${match[1]}`)
  }
  return names.toSorted()
}

/** An action that can be called: its id in this build, and a page that holds it. */
type BuiltAction = { name: string; id: string; page: string }

/** The actions of the build, which are those that a page uses; what nobody uses has no address. */
export async function readBuiltActions(): Promise<BuiltAction[]> {
  const manifest = JSON.parse(await readFile('.next/server/server-reference-manifest.json', 'utf8')) as {
    node: Record<string, { filename: string; exportedName: string; workers: Record<string, unknown> }>
  }
  return Object.entries(manifest.node).map(([id, { filename, exportedName, workers }]) => ({
    name: `${filename} ${exportedName}`,
    id,
    page:
      `/${Object.keys(workers)[0] ?? ''}`
        .replace(/^\/app/, '')
        .replace(/\/page$/, '')
        .replaceAll(/\/\([^)]+\)/g, '') || '/',
  }))
}
