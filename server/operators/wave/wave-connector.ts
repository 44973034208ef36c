import { timingSafeEqual } from 'node:crypto'
import { parseAmountMinor } from '#lib/money/money.ts'
import { OPERATORS } from '#lib/operators/operators.ts'
import type { BalanceOutcome, CallbackOutcome, Connector } from '../connector.ts'
import { isSigned } from '../handle-callback.ts'
import { exchangeOf, readAnswer, unknownOutcome } from '../operator-http-client.ts'
import { type ConnectorContext, defineProtocol } from '../settings/protocol.ts'
import { openCheckout, queryCheckout, type Wave } from './checkouts.ts'
import { createDayList } from './day-list.ts'
import { balanceSchema, eventSchema, sessionSchema } from './messages.ts'
import { payOut, queryPayout } from './payouts.ts'
import { takeBack } from './reversals.ts'
import { createWaveClient, type WaveClient, type WaveSettings, waveSettingsSchema } from './wave-client.ts'

/** The Wave Business API of one wallet. */
export function createWaveConnector(context: ConnectorContext, settings: WaveSettings): Connector {
  const client = createWaveClient(context, settings)
  const wave: Wave = { client, context, settings }
  return {
    terms: context.terms,
    customerStep: 'link',
    submit: (submission) => (submission.type === 'COLLECT' ? openCheckout(wave, submission) : payOut(client, submission)),
    query: (query) => (query.type === 'COLLECT' ? queryCheckout(wave, query) : queryPayout(client, query)),
    balance: () => readBalance(client, context),
    reversals: { types: settings.directions, isRepeatable: true, reverse: (reversal) => takeBack(client, reversal) },
    dayList: settings.listsDays ? createDayList(client) : undefined,
    parseCallback: (headers, body) => parseCallback(settings, headers, body, context.clock.now()),
    close: () => client.close(),
  }
}

/** One wallet for both directions. */
async function readBalance(client: WaveClient, { operator }: ConnectorContext): Promise<BalanceOutcome> {
  const outcome = await client.get('/v1/balance')
  const body = outcome.kind === 'answered' && outcome.httpStatus === 200 ? readAnswer(outcome, balanceSchema) : undefined
  // A balance may be zero, which no amount of a transaction is.
  const balanceMinor = body && (/^0+(\.0+)?$/.test(body.amount) ? 0n : parseAmountMinor(body.amount))
  const { currency } = OPERATORS[operator].country
  if (balanceMinor === undefined || body?.currency !== currency) return unknownOutcome(outcome)
  return {
    kind: 'balance',
    collectMinor: balanceMinor,
    depositMinor: balanceMinor,
    isOneAccount: true,
    currency,
    exchange: exchangeOf(outcome),
  }
}

type Headers = Record<string, string | string[] | undefined>

/** Only checkouts have events. A payment that failed ends nothing, because the customer may try again. */
function parseCallback(settings: WaveSettings, headers: Headers, body: Buffer, now: Date): CallbackOutcome {
  if (!isFromWave(settings, headers, body, now)) return { kind: 'unverified' }
  const answer = { kind: 'answered', httpStatus: 200, body: body.toString('utf8') } as const
  const event = readAnswer(answer, eventSchema)
  if (!event) return { kind: 'malformed', detail: 'The body is not an event of Wave' }
  if (!event.type.startsWith('checkout.session.')) return { kind: 'irrelevant' }
  const session = sessionSchema.safeParse(event.data).data
  if (!session) return { kind: 'malformed', detail: 'The event holds no checkout' }
  const [reference = '', applicationId = ''] = session.client_reference?.split('.') ?? []
  // Checkouts that others open in the same wallet.
  if (applicationId === '') return { kind: 'irrelevant' }
  const claim = session.payment_status === 'succeeded' ? 'succeeded' : 'pending'
  return { kind: 'callback', applicationId, reference, claim, isVerified: true }
}

function isFromWave({ signingSecret, sharedSecret }: WaveSettings, headers: Headers, body: Buffer, now: Date): boolean {
  if (signingSecret !== undefined) return isSigned({ secret: signingSecret, header: headers['wave-signature'], body, now }, '')
  const given = Buffer.from(String(headers['authorization'] ?? ''))
  const expected = Buffer.from(`Bearer ${sharedSecret}`)
  return sharedSecret !== undefined && given.length === expected.length && timingSafeEqual(given, expected)
}

/** The Wave Business API (README.md). */
export const WAVE_PROTOCOL = defineProtocol({
  name: 'wave',
  operators: ['CIWAVE', 'SNWAVE'],
  schema: waveSettingsSchema,
  secretFields: ['apiKey', 'signingSecret', 'sharedSecret'],
  directionsOf: ({ directions }) => directions,
  // Wave has no environment for tests.
  environmentOf: () => '',
  connect: createWaveConnector,
})
