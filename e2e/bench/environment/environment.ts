import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#server/database/embedded/embedded.ts'
import { migrate } from '#server/database/migrate.ts'
import { createPool, type Pool } from '#server/database/pool.ts'
import { administer } from '#server/testing/database.ts'
import { type ServerOptions, type ServerProcess, startServer } from './server-process.ts'

/** A database of its own on the one durable PostgreSQL of this run. */
export type BenchDatabase = { name: string; url: string; pool: Pool; drop(): Promise<void> }

/** The resources that every part of a run uses. `close` stops all of them and removes the folder. */
export type BenchEnvironment = {
  folder: string
  postgres: EmbeddedPostgres
  /** For programs that speak over a socket file, which costs them less than TCP. */
  socketFolder: string
  createDatabase(name: string): Promise<BenchDatabase>
  /** Returns one that was created. Throws if there is none of this name. */
  database(name: string): BenchDatabase
  startServer(options: Omit<ServerOptions, 'logFile' | 'tokenSecret'>): Promise<ServerProcess>
  close(): Promise<void>
}

/** Signs the tokens of the partners that the run plays. */
export const TOKEN_SECRET = 'the secret of the access tokens of this measurement'

/**
 * Starts the embedded PostgreSQL with the settings it has in the product: durable, nothing switched off. The limits that
 * the service is held against run on the same server.
 */
export async function openEnvironment(): Promise<BenchEnvironment> {
  const folder = await mkdtemp(path.join(tmpdir(), 'countersign-bench-'))
  const socketFolder = path.join(folder, 'sockets')
  await mkdir(socketFolder)
  // As root the server runs as another user, who must be able to enter and to put its socket down.
  await chmod(folder, 0o755)
  await chmod(socketFolder, 0o777)
  const postgres = await startEmbeddedPostgres({
    dataDirectory: path.join(folder, 'postgres'),
    settings: { unix_socket_directories: socketFolder },
  })
  const databases = new Map<string, BenchDatabase>()
  const servers: ServerProcess[] = []
  return {
    folder,
    postgres,
    socketFolder,
    async createDatabase(name) {
      const database = await createDatabase(postgres.url, name)
      databases.set(name, database)
      return database
    },
    database(name) {
      const database = databases.get(name)
      if (!database) throw new Error(`There is no database ${name}`)
      return database
    },
    async startServer(options) {
      const logFile = path.join(folder, `server-${servers.length + 1}.log`)
      const server = await startServer({ ...options, logFile, tokenSecret: TOKEN_SECRET })
      servers.push(server)
      return server
    },
    async close() {
      for (const server of servers) await server.stop()
      for (const database of databases.values()) if (!database.pool.ended) await database.pool.end()
      await postgres.stop()
      await rm(folder, { recursive: true, force: true })
      await rm(postgres.dataDirectory, { recursive: true, force: true })
    },
  }
}

async function createDatabase(serverUrl: string, name: string): Promise<BenchDatabase> {
  await administer(serverUrl, `create database ${name}`)
  const url = serverUrl.replace(/\/[^/]*$/, `/${name}`)
  const pool = createPool({ databaseUrl: url, connectionsMax: 4, applicationName: 'bench' })
  await migrate(pool)
  return {
    name,
    url,
    pool,
    async drop() {
      await pool.end()
      await administer(serverUrl, `drop database ${name} with (force)`)
    },
  }
}
