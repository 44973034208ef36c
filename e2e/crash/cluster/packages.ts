import { execFile } from 'node:child_process'
import { mkdir, readdir } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { ROOT } from '#server/testing/service/start-service.ts'

const run = promisify(execFile)

const PACKAGES = ['patroni', 'python3-etcd', 'python3-psycopg2', 'etcd-server', 'haproxy', 'pgbouncer', 'postgresql-client-15']
/** Brought by these packages for other uses: the servers are those of npm. */
const NOT_NEEDED = new Set(['postgresql-15', 'libpq-dev'])
const DOWNLOAD_LIMIT_MS = 120_000
const KEPT = path.join(ROOT, 'node_modules/.cache/countersign-cluster')

/** Why the programs of the cluster cannot be had on this machine. */
export class NoPackages extends Error {}

/**
 * Unpacks Debian's programs of the cluster into a folder, and returns the environment in which they run. Nothing is installed: their packages
 * would start services of their own, and need no root like this. Throws NoPackages where that is impossible.
 */
export async function unpackPrograms(folder: string): Promise<Record<string, string>> {
  await mkdir(KEPT, { recursive: true })
  const archives = await readArchives().catch((error: unknown) => {
    throw new NoPackages(`Debian's packages are not to be had here: ${firstLine(error)}`, { cause: error })
  })
  await mkdir(folder, { recursive: true })
  for (const archive of archives) await run('dpkg', ['-x', archive, folder])
  const libraries = path.join(folder, 'usr/lib', await debianArchitecture())
  const environment = {
    PATH: [path.join(folder, 'usr/bin'), path.join(folder, 'usr/sbin'), '/usr/bin:/bin:/usr/sbin:/sbin'].join(':'),
    PYTHONPATH: path.join(folder, 'usr/lib/python3/dist-packages'),
    LD_LIBRARY_PATH: libraries,
    LC_ALL: 'C',
    NODE_ENV: 'production' as const,
  }
  for (const [program, ...words] of [
    ['patroni', '--version'],
    ['etcd', '--version'],
    ['haproxy', '-v'],
    ['pgbouncer', '--version'],
    ['python3', '-c', 'import psycopg2'],
  ]) {
    await run(program ?? '', words, { env: environment }).catch((error: unknown) => {
      throw new NoPackages(`${program} does not run here: ${firstLine(error)}`, { cause: error })
    })
  }
  return environment
}

/** The packages that this machine does not have, with all that they need. Downloaded once. */
async function readArchives(): Promise<string[]> {
  // A simulation, because the list of addresses leaves out what apt has in its own cache.
  const { stdout } = await run('apt-get', ['install', '--simulate', '--no-install-recommends', '--reinstall', ...PACKAGES])
  const names = [...stdout.matchAll(/^Inst (\S+) /gm)].map(([, name = '']) => name).filter((name) => !NOT_NEEDED.has(name))
  const findIn = async (name: string) => (await readdir(KEPT)).find((file) => file.startsWith(`${name}_`))
  for (const name of names) if (!(await findIn(name))) await run('apt-get', ['download', name], { cwd: KEPT, timeout: DOWNLOAD_LIMIT_MS })
  return Promise.all(names.map(async (name) => path.join(KEPT, (await findIn(name)) ?? name)))
}

async function debianArchitecture(): Promise<string> {
  return (await run('dpkg-architecture', ['-qDEB_HOST_MULTIARCH']).catch(() => ({ stdout: 'x86_64-linux-gnu' }))).stdout.trim()
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? ''
}
