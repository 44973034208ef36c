import path from 'node:path'
import { freePort } from '#server/database/embedded/embedded.ts'
import { DATABASE_USER, type Databases, type Ground, readDeployed, writeOwned } from './databases.ts'
import { Program } from './program.ts'

/** The programs between partners, the service and its database, and their addresses. */
export type Ways = {
  haproxy: Program
  pgbouncer: Program
  /** For partners and people. */
  publicUrl: string
  /** The primary, through HAProxy, and through PgBouncer and HAProxy. */
  primaryUrl: string
  pooledUrl: string
  /** A standby, through HAProxy. */
  replicaUrl: string
}

/** Starts HAProxy and PgBouncer with the files of server/deploy. `webPorts`: of the two web processes. */
export async function startWays(ground: Ground, { nodes, password }: Databases, webPorts: readonly number[]): Promise<Ways> {
  const [primary, replica, entry, pooled] = [await freePort(), await freePort(), await freePort(), await freePort()]
  const haproxy = await startHaproxy(ground, nodes, { primary, replica, entry }, webPorts)
  const users = path.join(ground.folder, 'userlist.txt')
  await writeOwned(ground, users, `"${DATABASE_USER}" "${password}"\n`)
  const settings = path.join(ground.folder, 'pgbouncer.ini')
  const text = await readDeployed('pgbouncer.ini', [
    ['port=5432', `port=${primary}`],
    ['listen_port = 6432', `listen_port = ${pooled}`],
    ['/etc/pgbouncer/userlist.txt', users],
  ])
  // Only here: the default is a folder of the system.
  await writeOwned(ground, settings, `${text}unix_socket_dir =\n`)
  const pgbouncer = new Program({
    ...ground,
    name: 'PgBouncer',
    command: 'pgbouncer',
    words: [settings],
    logFile: path.join(ground.folder, 'pgbouncer.log'),
  })
  pgbouncer.start()
  const urlAt = (port: number) => `postgres://${DATABASE_USER}:${password}@127.0.0.1:${port}/${DATABASE_USER}`
  return {
    haproxy,
    pgbouncer,
    publicUrl: `http://127.0.0.1:${entry}`,
    primaryUrl: urlAt(primary),
    pooledUrl: urlAt(pooled),
    replicaUrl: urlAt(replica),
  }
}

async function startHaproxy(
  ground: Ground,
  nodes: Databases['nodes'],
  ports: { primary: number; replica: number; entry: number },
  webPorts: readonly number[],
): Promise<Program> {
  const file = path.join(ground.folder, 'haproxy.cfg')
  const databases = nodes.map(({ port, restPort }, index): [string, string] => [
    `10.0.4.1${index + 1}:5432 check`,
    `127.0.0.1:${port} check port ${restPort}`,
  ])
  const webs = webPorts.map((port, index): [string, string] => [`10.0.4.2${index + 1}:3000`, `127.0.0.1:${port}`])
  const text = await readDeployed('haproxy.cfg', [
    ['bind 127.0.0.1:5432', `bind 127.0.0.1:${ports.primary}`],
    ['bind 127.0.0.1:5433', `bind 127.0.0.1:${ports.replica}`],
    ['bind :80', `bind 127.0.0.1:${ports.entry}`],
    // The limit of open files of the user who runs this.
    ['maxconn 20000', 'maxconn 1000'],
    ...databases,
    ...webs,
  ])
  await writeOwned(ground, file, text)
  const haproxy = new Program({
    ...ground,
    name: 'HAProxy',
    command: 'haproxy',
    words: ['-db', '-f', file],
    logFile: path.join(ground.folder, 'haproxy.log'),
  })
  haproxy.start()
  return haproxy
}
