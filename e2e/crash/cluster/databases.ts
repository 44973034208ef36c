import { randomBytes } from 'node:crypto'
import { chmod, chown, copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { freePort } from '#server/database/embedded/embedded.ts'
import { type Owner, reachablePlaces } from '#server/database/embedded/embedded-places.ts'
import { pidsOf } from '#server/testing/service/processes.ts'
import { get, ROOT } from '#server/testing/service/start-service.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { Program } from './program.ts'

const TOOLS = fileURLToPath(new URL('./tools/', import.meta.url))
const LIMIT = { limitMs: 180_000, pauseMs: 200 }
export const DATABASE_USER = 'countersign'

/** The folder of all files, where Debian's programs are, in which environment and as whom they run. */
export type Ground = { folder: string; programs: string; environment: Record<string, string>; owner: Owner | undefined }

/** One machine with PostgreSQL under Patroni: both are lost together. */
export type DatabaseNode = { name: string; port: number; restPort: number; dataDirectory: string; program: Program }

export type Databases = {
  etcd: Program[]
  nodes: DatabaseNode[]
  password: string
  /** The machine that Patroni says has the primary. */
  findPrimary(): Promise<DatabaseNode | undefined>
  findSynchronous(): Promise<DatabaseNode | undefined>
  /** A primary, and two standbys that follow it, one of them synchronous. */
  untilWhole(): Promise<void>
  /** PostgreSQL's first process on a machine. */
  postmasterOf(node: DatabaseNode): number | undefined
}

/** Reads a file of server/deploy, and replaces words of it. A word that is not there any longer is an Error: the file would not be what is tested. */
export async function readDeployed(file: string, replaced: readonly (readonly [string | RegExp, string])[]): Promise<string> {
  let text = await readFile(path.join(ROOT, 'server/deploy', file), 'utf8')
  for (const [from, to] of replaced) {
    const after = text.replaceAll(typeof from === 'string' ? from : new RegExp(from, 'g'), to)
    if (after === text) throw new Error(`server/deploy/${file} has no ${from}`)
    text = after
  }
  return text
}

/** Starts three members of etcd and three PostgreSQL under Patroni, with server/deploy/patroni.yml, and makes the database of the service. */
export async function startDatabases(ground: Ground): Promise<Databases> {
  const { folder } = ground
  const etcd = await startEtcd(ground)
  const password = randomBytes(16).toString('hex')
  const binaries = await makeBinaries(ground)
  await makeFolder(ground, 'archive')
  const nodes: DatabaseNode[] = []
  for (const number of [1, 2, 3]) {
    const place = {
      name: `database-${number}`,
      port: await freePort(),
      restPort: await freePort(),
      dataDirectory: path.join(folder, `database-${number}`),
    }
    const configuration = await readDeployed('patroni.yml', [
      ['name: NAME', `name: ${place.name}`],
      ['10.0.4.11:8008', `127.0.0.1:${place.restPort}`],
      ['10.0.4.11:2379,10.0.4.12:2379,10.0.4.13:2379', etcd.clients.join(',')],
      ['10.0.4.11:5432', `127.0.0.1:${place.port}`],
      ['10.0.4.0/24', '127.0.0.0/8'],
      ['/var/lib/postgresql/18/main', place.dataDirectory],
      ['/usr/lib/postgresql/18/bin', binaries],
      ['/backup/archive', path.join(folder, 'archive')],
      ['REPLACE', password],
    ])
    const file = path.join(folder, `${place.name}.yml`)
    await writeOwned(ground, file, configuration)
    const program = new Program({
      ...ground,
      name: place.name,
      command: 'patroni',
      words: [file],
      environment: { ...ground.environment, CLUSTER_SUPERUSER_PASSWORD: password, HOME: await makeFolder(ground, `${place.name}.home`) },
      logFile: path.join(folder, `${place.name}.log`),
      alsoOwns: place.dataDirectory,
    })
    program.start()
    nodes.push({ ...place, program })
  }
  const databases = describe(etcd.programs, nodes, password)
  await databases.untilWhole()
  await makeDatabase(databases)
  return databases
}

function describe(etcd: Program[], nodes: DatabaseNode[], password: string): Databases {
  const answers = async (address: string) => {
    const found = await Promise.all(
      nodes.map(async (node) => ((await get(`http://127.0.0.1:${node.restPort}${address}`)).status === 200 ? [node] : [])),
    )
    return found.flat()
  }
  return {
    etcd,
    nodes,
    password,
    findPrimary: async () => (await answers('/primary'))[0],
    findSynchronous: async () => (await answers('/synchronous'))[0],
    postmasterOf: ({ dataDirectory }) => pidsOf(`-D ${dataDirectory}`)[0],
    async untilWhole() {
      await waitUntil(
        'the cluster has a primary, a synchronous standby and another one',
        async () =>
          (await answers('/primary')).length === 1 &&
          (await answers('/synchronous')).length === 1 &&
          (await answers('/replica?lag=1MB')).length === 2,
        LIMIT,
      )
    },
  }
}

async function startEtcd(ground: Ground): Promise<{ programs: Program[]; clients: string[] }> {
  const members = await Promise.all(
    [1, 2, 3].map(async (number) => ({ name: `etcd-${number}`, client: await freePort(), peer: await freePort() })),
  )
  const initial = members.map(({ name, peer }) => `${name}=http://127.0.0.1:${peer}`).join(',')
  const programs = members.map(({ name, client, peer }) => {
    const [clientUrl, peerUrl] = [`http://127.0.0.1:${client}`, `http://127.0.0.1:${peer}`]
    // A member answers late on a machine that it shares with everything else.
    const words = [
      '--name',
      name,
      '--data-dir',
      path.join(ground.folder, name),
      '--heartbeat-interval',
      '200',
      '--election-timeout',
      '2000',
    ]
    words.push('--listen-client-urls', clientUrl, '--advertise-client-urls', clientUrl, '--listen-peer-urls', peerUrl)
    words.push('--initial-advertise-peer-urls', peerUrl, '--initial-cluster', initial, '--initial-cluster-state', 'new')
    return new Program({ ...ground, name, command: 'etcd', words, logFile: path.join(ground.folder, `${name}.log`) })
  })
  for (const program of programs) program.start()
  return { programs, clients: members.map(({ client }) => `127.0.0.1:${client}`) }
}

/** A folder with the programs that Patroni calls: those of npm's PostgreSQL, each with its own libraries, and tools in place of those that it lacks. */
async function makeBinaries(ground: Ground): Promise<string> {
  const { native } = await reachablePlaces(path.join(ground.folder, 'native'), ground.owner)
  const folder = await makeFolder(ground, 'bin')
  for (const name of ['initdb', 'pg_ctl', 'postgres'])
    await writeProgram(path.join(folder, name), `#!/bin/sh\nLD_LIBRARY_PATH=${native}/lib exec ${native}/bin/${name} "$@"\n`)
  await writeProgram(path.join(folder, 'pg_isready'), `#!/bin/sh\nexec ${ground.programs}/usr/lib/postgresql/15/bin/pg_isready "$@"\n`)
  await copyFile(path.join(TOOLS, 'pg_controldata.py'), path.join(folder, 'pg_controldata'))
  for (const name of ['pg_basebackup', 'pg_rewind']) await copyFile(path.join(TOOLS, 'copy_primary.py'), path.join(folder, name))
  for (const name of ['pg_controldata', 'pg_basebackup', 'pg_rewind']) await chmod(path.join(folder, name), 0o755)
  return folder
}

async function makeDatabase(databases: Databases): Promise<void> {
  const primary = await databases.findPrimary()
  const client = new pg.Client({
    host: '127.0.0.1',
    port: primary?.port,
    user: 'postgres',
    password: databases.password,
    database: 'postgres',
  })
  await client.connect()
  try {
    await client.query(`create role ${DATABASE_USER} login password '${databases.password}'`)
    await client.query(`grant pg_read_all_stats to ${DATABASE_USER}`)
    await client.query(`create database ${DATABASE_USER} owner ${DATABASE_USER}`)
  } finally {
    await client.end()
  }
}

export async function makeFolder({ folder, owner }: Ground, name: string): Promise<string> {
  const made = path.join(folder, name)
  await mkdir(made, { recursive: true, mode: 0o755 })
  if (owner) await chown(made, owner.uid, owner.gid)
  return made
}

export async function writeOwned({ owner }: Ground, file: string, text: string): Promise<void> {
  await writeFile(file, text, { mode: 0o600 })
  if (owner) await chown(file, owner.uid, owner.gid)
}

async function writeProgram(file: string, text: string): Promise<void> {
  await writeFile(file, text)
  await chmod(file, 0o755)
}
