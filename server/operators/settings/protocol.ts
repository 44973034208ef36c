import { z } from 'zod'
import type { SettingField, SettingProblem } from '#lib/operators/operator-settings.ts'
import { OPERATOR_CODES, type OperatorCode } from '#lib/operators/operators.ts'
import type { TransactionType } from '#lib/payments/transactions/transaction-status.ts'
import { err, ok, type Result } from '#lib/result.ts'
import type { Clock } from '#lib/time/time.ts'
import type { Connector, Terms } from '#server/operators/connector.ts'
import type { AccessTokens } from '#server/operators/tokens/access-tokens.ts'
import type { OperatorTransport } from '../operator-http-client.ts'
import { mismatchOfKey, NETWORK_SECRETS, NETWORK_SETTINGS, safeAddress } from './network-settings.ts'
import { describeFields } from './operator-settings.ts'

/** The context of a connector besides its settings. */
export type ConnectorContext = {
  operator: OperatorCode
  terms: Terms
  /** The address for the operator's callbacks; undefined: none, and polling finds the results. */
  callbackUrl: string | undefined
  /** This service's address as customers reach it: where the pages for them are. */
  publicUrl: string | undefined
  submitTimeoutMs: number
  queryTimeoutMs: number
  connectionsMax: number
  transport: OperatorTransport
  tokens: AccessTokens
  clock: Clock
}

/** Text that is never shown or logged. Name its fields in `secretFields`. */
export const secretText = z.string().min(1).max(4_096)

/** The longest that one call may take. The lease of a submission is longer (claim-slots.ts). */
const CALL_TIMEOUT_MS_MAX = 10_000
/** The same for a submission whose answer is the result of the payment: a customer who confirms needs longer than a computer. */
const SYNCHRONOUS_TIMEOUT_MS_MAX = 60_000
const timeoutMs = z.int().min(100).max(CALL_TIMEOUT_MS_MAX)

/** The settings that every protocol has. */
export const COMMON_SETTINGS = {
  /** The address that paths are appended to. */
  baseUrl: safeAddress,
  /** At most 10 s unless the protocol answers synchronously. */
  submitTimeoutMs: z.int().min(100).max(SYNCHRONOUS_TIMEOUT_MS_MAX).optional(),
  queryTimeoutMs: timeoutMs.optional(),
  /** Concurrent submissions, per direction and process. */
  callsMax: z.int().min(1).max(64).optional(),
  /** Submissions started per second, per direction and process. */
  submissionsPerSecondMax: z.number().min(0.1).max(10_000).optional(),
  /** The float that our account for payouts must keep, in units of the currency; default: nothing. */
  floatFloor: z.int().min(0).max(1_000_000_000_000).optional(),
  /** This service's address as this operator reaches it; default: PUBLIC_URL. */
  callbackBaseUrl: safeAddress.optional(),
  sendsCallbacks: z.boolean().optional(),
  ...NETWORK_SETTINGS,
}

const commonSchema = z.object(COMMON_SETTINGS)
type CommonSettings = z.infer<typeof commonSchema>

type ProtocolOptions<Settings extends CommonSettings> = {
  name: string
  operators: readonly OperatorCode[]
  /** The document that `set-operator` stores. Strict, so that a misspelt field is refused. */
  schema: z.ZodType<Settings>
  /** Names of fields, at any depth, whose values are secret. */
  secretFields: readonly string[]
  /** The answer to a submission is the result of the payment, so that it may take up to 60 s. */
  answersSynchronously?: boolean
  /** The directions that these settings put in service. */
  directionsOf(settings: Settings): readonly TransactionType[]
  /** The operator's environment: another one does not know what was submitted to this one. */
  environmentOf(settings: Settings): string
  connect(context: ConnectorContext, settings: Settings): Connector
}

/** Settings that fit their protocol. */
type CheckedSettings = {
  routes: ReadonlyMap<TransactionType, string>
  common: CommonSettings
  connect(context: ConnectorContext): Connector
}

/** A problem with a field of a document; `message` is for the command line. */
export type FieldProblem = { path: string; problem: SettingProblem; message: string }

/** One kind of settings of an operator: how it is reached through a protocol, or the amounts that it takes (amount-settings.ts). */
export type SettingsKind<Checked = unknown> = {
  name: string
  operators: readonly OperatorCode[]
  secretFields: ReadonlySet<string>
  /** The fields as a form needs them. */
  fields: readonly SettingField[]
  /** Returns what is wrong with each field that does not fit. */
  check(document: unknown): Result<Checked, FieldProblem[]>
}

/** A protocol, as everything outside its folder sees it. */
export type Protocol = SettingsKind<CheckedSettings> & { answersSynchronously: boolean }

/** Defines a protocol. Everything that is typed by its settings stays in here. */
export function defineProtocol<Settings extends CommonSettings>(options: ProtocolOptions<Settings>): Protocol {
  const { name, operators, schema, answersSynchronously = false, directionsOf, environmentOf, connect } = options
  const secretFields = new Set([...options.secretFields, ...NETWORK_SECRETS])
  const submitTimeoutMsMax = answersSynchronously ? SYNCHRONOUS_TIMEOUT_MS_MAX : CALL_TIMEOUT_MS_MAX
  return {
    name,
    operators,
    secretFields,
    answersSynchronously,
    fields: describeFields(schema, secretFields).map((field) =>
      field.path === 'submitTimeoutMs' ? { ...field, maximum: submitTimeoutMsMax } : field,
    ),
    check(document) {
      const parsed = schema.safeParse(document)
      if (!parsed.success) return err(fieldProblems(parsed.error, document))
      if ((parsed.data.submitTimeoutMs ?? 0) > submitTimeoutMsMax) {
        const message = `must be at most ${submitTimeoutMsMax}: this protocol answers a submission at once and reports its result later`
        return err([{ path: 'submitTimeoutMs', problem: 'range', message }])
      }
      const mismatch = mismatchOfKey(parsed.data)
      if (mismatch) return err([{ ...mismatch, problem: 'incomplete' }])
      return ok({
        routes: new Map(directionsOf(parsed.data).map((type) => [type, `${name} ${environmentOf(parsed.data)}`.trim()])),
        common: parsed.data,
        connect: (context) => connect(context, parsed.data),
      })
    },
  }
}

/** Returns what is wrong with each field. A message of zod never repeats the value. */
export function fieldProblems(error: z.core.$ZodError, document: unknown): FieldProblem[] {
  return error.issues.map((issue) => problemOf(issue, document))
}

function problemOf(issue: z.core.$ZodIssue, document: unknown): FieldProblem {
  const { path, message } = issue
  return { path: path.join('.'), problem: path.length > 0 && isMissing(document, path) ? 'missing' : kindOf(issue), message }
}

function isMissing(document: unknown, path: readonly PropertyKey[]): boolean {
  let value = document
  for (const name of path) value = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
  return value === undefined
}

function kindOf(issue: z.core.$ZodIssue): SettingProblem {
  const { code } = issue
  if (code === 'too_small' || code === 'too_big') return 'range'
  if (code === 'unrecognized_keys') return 'unknown_field'
  return issue.code === 'custom' && issue.params?.['problem'] !== 'format' ? 'incomplete' : 'format'
}

/** One sentence per problem. */
export function problemSentences(problems: readonly FieldProblem[]): string[] {
  return problems.map(({ path, message }) => `${path || 'the document'}: ${message}`)
}

/** Every operator code, for protocols that any of them may use. */
export const ALL_OPERATORS: readonly OperatorCode[] = OPERATOR_CODES
