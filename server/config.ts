import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { z } from 'zod'
import { OPERATOR_CODES, OPERATORS, type OperatorCode } from '#lib/operators/operators.ts'
import {
  crashCounts,
  exporterHeaders,
  flag,
  httpUrl,
  networks,
  postgresUrl,
  SECRET_LENGTH_MIN,
  secret,
  secretsKey,
  secretsKeys,
  smtpUrl,
  wholeNumber,
  words,
} from './config-fields.ts'

/** How to reach a real operator. `key` is the client or subscription id where the operator has one. */
type OperatorSettings = { baseUrl: string; key: string | undefined; secret: string }

/** The kinds of old rows that are removed, each after its own number of months. */
export const RETENTION_KINDS = ['attempts', 'deliveries', 'exports', 'statements', 'attachments', 'throttles'] as const
export type RetentionKind = (typeof RETENTION_KINDS)[number]
export type RetentionMonths = Record<RetentionKind, number>

type SingleSignOn = {
  /** As the button calls it. */
  name: string
  issuer: string
  clientId: string
  clientSecret: string
  secondFactor: { amr: string[]; acr: string[] }
}

export type Config = {
  role: 'web' | 'worker' | 'all'
  host: string
  port: number
  /** The port that serves only /health and /metrics; undefined: only the front door does. */
  monitoringPort: number | undefined
  /** How many web processes share the port. */
  webConcurrency: number
  /** How many worker processes share the work of the worker role; 1: the main process does it. */
  workerConcurrency: number
  /** Absolute. Holds the embedded database and what the sandbox writes. */
  dataDirectory: string
  /** Undefined: the embedded PostgreSQL. */
  databaseUrl: string | undefined
  /** The database for reports; money is never decided from it. */
  databaseReplicaUrl: string | undefined
  /** How long a start waits for a database that cannot be used yet. */
  databaseWaitMs: number
  /** Connections per process. */
  poolSize: number
  /** Off behind PgBouncer in transaction mode when it does not track prepared statements. */
  preparesStatements: boolean
  /** The opposite of `isSandbox`: a process is one or the other, and so is its database. */
  isProduction: boolean
  /** Seeds, a simulator instead of operators, loopback allowed. Never true in production without SANDBOX=1. */
  isSandbox: boolean
  /** Encrypt the secrets in the database: one writes, all of them read. */
  secretsKeys: { current: string; previous: string[] }
  tokenSecret: string
  sessionSecret: string
  /** The address that people and partners use, without a slash at its end. */
  publicUrl: string
  /** Addresses and networks whose x-forwarded-for is believed. */
  trustedProxies: string[]
  /** Bearer token that /metrics requires; undefined: loopback callers only. */
  metricsToken: string | undefined
  /** Where traces go; undefined: nothing is traced. `ratio`: the share of transactions, from 0 to 1. */
  traces: { endpoint: string; headers: Record<string, string>; serviceName: string; ratio: number } | undefined
  /** The mail server and the sender of notices; undefined: no mail is sent. A sandbox keeps its mails. */
  mail: { smtpUrl: string; from: string } | undefined
  /**
   * The identity provider that people may sign in with; undefined: none. `secondFactor`: the values of the claims `amr` and `acr` with which
   * it says that a person used a second factor there.
   */
  singleSignOn: SingleSignOn | undefined
  logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'
  simulator: { delayMs: number; port: number | undefined }
  /** How many months each kind of row is kept; 0: forever. */
  retentionMonths: RetentionMonths
  /** Real operators by code. In production a code that is absent is switched off. */
  operators: Partial<Record<OperatorCode, OperatorSettings>>
  /** How often processes of this service have crashed and were restarted, by name; told by the process that restarted this one. */
  crashes: Record<string, number>
}

/** Whether links are mailed to people instead of being shown. The mails of a sandbox reach nobody, so it shows them as well. */
export function mailsLinks({ mail, isSandbox }: Pick<Config, 'mail' | 'isSandbox'>): boolean {
  return mail !== undefined && !isSandbox
}

type Environment = Record<string, string | undefined>

const secretsSchema = z.object({ SECRETS_KEY: secretsKey.optional(), SECRETS_KEY_PREVIOUS: secretsKeys.default([]) })
const environmentSchema = secretsSchema.extend({
  NODE_ENV: z.enum(['production', 'development', 'test'], 'must be production, development or test').default('development'),
  SANDBOX: flag.optional(),
  ROLE: z.enum(['web', 'worker', 'all'], 'must be web, worker or all').default('all'),
  HOST: z
    .string()
    .regex(/^[A-Za-z0-9.:_-]{1,255}$/, 'must be an address or a host name')
    .default('127.0.0.1'),
  PORT: wholeNumber(1, 65_535).default(3_000),
  MONITORING_PORT: wholeNumber(1, 65_535).optional(),
  WEB_CONCURRENCY: wholeNumber(1, 256).default(1),
  WORKER_CONCURRENCY: wholeNumber(1, 256).default(1),
  DATA_DIR: z.string().max(1_000).default('.data'),
  DATABASE_URL: postgresUrl.optional(),
  DATABASE_REPLICA_URL: postgresUrl.optional(),
  DATABASE_WAIT_MS: wholeNumber(0, 3_600_000).default(60_000),
  POOL_SIZE: wholeNumber(4, 1_000).default(16),
  PREPARED_STATEMENTS: flag.default(true),
  TOKEN_SECRET: secret.optional(),
  SESSION_SECRET: secret.optional(),
  PUBLIC_URL: httpUrl.optional(),
  NEXTAUTH_URL: httpUrl.optional(),
  TRUSTED_PROXIES: networks.default([]),
  METRICS_TOKEN: z.string().min(16, 'must have at least 16 characters').optional(),
  SMTP_URL: smtpUrl.optional(),
  MAIL_FROM: z
    .string()
    .regex(
      /^(?:[^<>@"\p{Cc}]{1,100} <[^\s<>@,]{1,64}@[^\s<>@,]{1,255}>|[^\s<>@,]{1,64}@[^\s<>@,]{1,255})$/u,
      'must be an e-mail address, or a name and <address>',
    )
    .optional(),
  OIDC_ISSUER: httpUrl.optional(),
  OIDC_CLIENT_ID: z.string().max(500).optional(),
  OIDC_CLIENT_SECRET: z.string().max(2_000).optional(),
  OIDC_NAME: z.string().max(60, 'must have at most 60 characters').default('Single sign-on'),
  OIDC_SECOND_FACTOR_AMR: words.default([]),
  OIDC_SECOND_FACTOR_ACR: words.default([]),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], 'must be fatal, error, warn, info, debug, trace or silent')
    .optional(),
  RETENTION_ATTEMPTS_MONTHS: wholeNumber(0, 1_200).default(13),
  RETENTION_DELIVERIES_MONTHS: wholeNumber(0, 1_200).default(13),
  RETENTION_EXPORTS_MONTHS: wholeNumber(0, 1_200).default(60),
  RETENTION_STATEMENTS_MONTHS: wholeNumber(0, 1_200).default(120),
  RETENTION_ATTACHMENTS_MONTHS: wholeNumber(0, 1_200).default(120),
  RETENTION_THROTTLES_MONTHS: wholeNumber(0, 1_200).default(1),
  SIMULATOR_DELAY_MS: wholeNumber(0, 600_000).default(1_500),
  SIMULATOR_PORT: wholeNumber(1, 65_535).optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl.optional(),
  OTEL_EXPORTER_OTLP_HEADERS: exporterHeaders.default({}),
  OTEL_SERVICE_NAME: z.string().max(200).default('countersign'),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^(0(\.\d{1,9})?|1(\.0+)?)$/, 'must be between 0 and 1')
    .transform(Number)
    .default(1),
  CRASHES: crashCounts.default({}),
})

/**
 * Reads the whole configuration from environment variables; an empty value counts as absent. Throws an Error whose
 * message is one sentence that names the variable. Outside production, secrets that are not set are random and last as
 * long as the process (the sandbox hands in stored ones).
 */
export function loadConfig(environment: Environment): Config {
  const values = parseEnvironment(environmentSchema, environment)
  const isSandbox = values.SANDBOX ?? values.NODE_ENV !== 'production'
  if (isSandbox) demandForSandbox(values)
  else requireProductionSettings(values)
  return {
    role: values.ROLE,
    host: values.HOST,
    port: values.PORT,
    monitoringPort: values.MONITORING_PORT,
    webConcurrency: values.WEB_CONCURRENCY,
    workerConcurrency: values.WORKER_CONCURRENCY,
    dataDirectory: path.resolve(values.DATA_DIR),
    databaseUrl: values.DATABASE_URL,
    databaseReplicaUrl: values.DATABASE_REPLICA_URL,
    databaseWaitMs: values.DATABASE_WAIT_MS,
    poolSize: values.POOL_SIZE,
    preparesStatements: values.PREPARED_STATEMENTS,
    isProduction: !isSandbox,
    isSandbox,
    secretsKeys: { current: values.SECRETS_KEY ?? randomSecret(), previous: values.SECRETS_KEY_PREVIOUS },
    tokenSecret: values.TOKEN_SECRET ?? randomSecret(),
    sessionSecret: values.SESSION_SECRET ?? randomSecret(),
    publicUrl: values.PUBLIC_URL ?? values.NEXTAUTH_URL ?? `http://${urlHost(values.HOST)}:${values.PORT}`,
    trustedProxies: values.TRUSTED_PROXIES,
    metricsToken: values.METRICS_TOKEN,
    traces: values.OTEL_EXPORTER_OTLP_ENDPOINT
      ? {
          endpoint: values.OTEL_EXPORTER_OTLP_ENDPOINT,
          headers: values.OTEL_EXPORTER_OTLP_HEADERS,
          serviceName: values.OTEL_SERVICE_NAME,
          ratio: values.OTEL_TRACES_SAMPLER_ARG,
        }
      : undefined,
    mail: mailSettings(values),
    singleSignOn: singleSignOnSettings(values, !isSandbox),
    // The sandbox runs in a terminal, where a line per request would hide the start-up lines.
    logLevel: values.LOG_LEVEL ?? (isSandbox ? 'warn' : 'info'),
    simulator: { delayMs: values.SIMULATOR_DELAY_MS, port: values.SIMULATOR_PORT },
    operators: operatorSettings(environment),
    crashes: values.CRASHES,
    retentionMonths: {
      attempts: values.RETENTION_ATTEMPTS_MONTHS,
      deliveries: values.RETENTION_DELIVERIES_MONTHS,
      exports: values.RETENTION_EXPORTS_MONTHS,
      statements: values.RETENTION_STATEMENTS_MONTHS,
      attachments: values.RETENTION_ATTACHMENTS_MONTHS,
      throttles: values.RETENTION_THROTTLES_MONTHS,
    },
  }
}

/**
 * SECRETS_KEY and SECRETS_KEY_PREVIOUS alone, for programs that need nothing else; undefined when there is no key. Throws
 * an Error whose message is one sentence that names the variable.
 */
export function loadSecretsKeys(environment: Environment): Config['secretsKeys'] | undefined {
  const { SECRETS_KEY: current, SECRETS_KEY_PREVIOUS: previous } = parseEnvironment(secretsSchema, environment)
  return current === undefined ? undefined : { current, previous }
}

/** Which kind of database this environment says DATABASE_URL is; undefined when it does not say. */
export function namedMode(environment: Environment): 'sandbox' | 'production' | undefined {
  const sandbox = flag.safeParse(environment['SANDBOX'])
  if (sandbox.success && sandbox.data) return 'sandbox'
  return environment['NODE_ENV'] === 'production' ? 'production' : undefined
}

/** The process's own environment: the one place that reads it. */
export function processEnvironment(): Environment {
  return process.env
}

/** Sets what Next and next-auth read from the environment, before either is loaded. */
export function publishForNext(config: Config): void {
  Object.assign(process.env, { NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' })
  publishForNextAuth(config)
}

/** Sets what next-auth reads from the environment, before it is loaded. */
export function publishForNextAuth(config: Config): void {
  Object.assign(process.env, { NEXTAUTH_URL: config.publicUrl, NEXTAUTH_SECRET: config.sessionSecret })
}

/** A secret of 256 random bits. */
export function randomSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** An empty variable counts as absent. Throws an Error with one sentence for the first bad one. */
function parseEnvironment<Schema extends z.ZodType>(schema: Schema, environment: Environment): z.infer<Schema> {
  const present = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''))
  const parsed = schema.safeParse(present)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  throw new Error(`${String(issue?.path[0])} ${issue?.message}.`)
}

/** The database of DATABASE_URL may be a production one, so a sandbox on it must be requested explicitly. */
function demandForSandbox(values: z.infer<typeof environmentSchema>): void {
  if (values.DATABASE_URL && !values.SANDBOX)
    throw new Error('DATABASE_URL needs NODE_ENV=production, or SANDBOX=1 to run a sandbox on that database.')
}

function requireProductionSettings(values: z.infer<typeof environmentSchema>): void {
  if (values.NODE_ENV !== 'production')
    throw new Error('SANDBOX=0 needs NODE_ENV=production: without seeds and simulator a process is a production process.')
  if (!values.DATABASE_URL)
    throw new Error('DATABASE_URL is missing: production needs a PostgreSQL 18 or newer (SANDBOX=1 runs the sandbox instead).')
  for (const name of ['TOKEN_SECRET', 'SESSION_SECRET'] as const) {
    if (!values[name])
      throw new Error(
        `${name} is missing: production needs a secret of at least ${SECRET_LENGTH_MIN} characters, the same in every process.`,
      )
  }
  if (!values.SECRETS_KEY)
    throw new Error(
      'SECRETS_KEY is missing: production needs a key of at least 256 bits (openssl rand -base64 32), the same in every process; keep it with the backup.',
    )
  if (values.TOKEN_SECRET === values.SESSION_SECRET) throw new Error('SESSION_SECRET must differ from TOKEN_SECRET.')
  if ([values.TOKEN_SECRET, values.SESSION_SECRET].includes(values.SECRETS_KEY))
    throw new Error('SECRETS_KEY must differ from TOKEN_SECRET and SESSION_SECRET.')
  demandSecureUrl(values.PUBLIC_URL ? 'PUBLIC_URL' : 'NEXTAUTH_URL', values.PUBLIC_URL ?? values.NEXTAUTH_URL)
}

/**
 * Over http the cookies of sessions would travel without `Secure`. An http address of this machine itself is allowed: it
 * leaves the machine over no network, and it lets an installation be tried before its proxy is there.
 */
function demandSecureUrl(name: string, publicUrl: string | undefined): void {
  if (publicUrl === undefined)
    throw new Error('PUBLIC_URL is missing: production needs the https address that people, partners and operators use.')
  const { protocol, hostname } = new URL(publicUrl)
  const isLoopback = hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname)
  if (protocol !== 'https:' && !isLoopback)
    throw new Error(`${name} must be an https address in production: over http, session cookies would be sent without Secure.`)
}

function mailSettings({ SMTP_URL: url, MAIL_FROM: from }: z.infer<typeof environmentSchema>): Config['mail'] {
  if (url === undefined && from === undefined) return undefined
  if (url === undefined) throw new Error('SMTP_URL is missing, though MAIL_FROM is set.')
  if (from === undefined) throw new Error('MAIL_FROM is missing, though SMTP_URL is set.')
  return { smtpUrl: url, from }
}

function singleSignOnSettings(values: z.infer<typeof environmentSchema>, isProduction: boolean): Config['singleSignOn'] {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret, OIDC_NAME: name } = values
  if (issuer === undefined) {
    if (clientId !== undefined || clientSecret !== undefined)
      throw new Error('OIDC_ISSUER is missing, though OIDC_CLIENT_ID or OIDC_CLIENT_SECRET is set.')
    return undefined
  }
  if (clientId === undefined) throw new Error('OIDC_CLIENT_ID is missing, though OIDC_ISSUER is set.')
  if (clientSecret === undefined) throw new Error('OIDC_CLIENT_SECRET is missing, though OIDC_ISSUER is set.')
  if (isProduction && !issuer.startsWith('https:'))
    throw new Error('OIDC_ISSUER must be an https address in production: over http, its answers could be forged.')
  return { name, issuer, clientId, clientSecret, secondFactor: { amr: values.OIDC_SECOND_FACTOR_AMR, acr: values.OIDC_SECOND_FACTOR_ACR } }
}

/** OPERATOR_<CODE>_… for one operator, OPERATOR_<PROTOCOL>_… (MTN_MOMO, ORANGE_WEB) for all that speak a protocol. */
function operatorSettings(environment: Environment): Config['operators'] {
  const settings: Config['operators'] = {}
  for (const code of OPERATOR_CODES) {
    const protocol = OPERATORS[code].protocol.toUpperCase().replaceAll('-', '_')
    const prefix = [`OPERATOR_${code}`, `OPERATOR_${protocol}`].find(
      (start) => environment[`${start}_BASE_URL`] || environment[`${start}_SECRET`],
    )
    if (!prefix) continue
    const baseUrl = httpUrl.safeParse(environment[`${prefix}_BASE_URL`])
    if (!baseUrl.success) throw new Error(`${prefix}_BASE_URL must be an absolute http or https address.`)
    const operatorSecret = environment[`${prefix}_SECRET`]
    if (!operatorSecret) throw new Error(`${prefix}_SECRET is missing, though ${prefix}_BASE_URL is set.`)
    settings[code] = { baseUrl: baseUrl.data, key: environment[`${prefix}_KEY`] || undefined, secret: operatorSecret }
  }
  return settings
}

function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}
