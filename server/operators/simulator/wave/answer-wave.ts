import { createHmac } from 'node:crypto'
import type { BookEntry } from '#server/operators/simulator/books.ts'
import type { SimulatedProtocol } from '#server/operators/simulator/simulation.ts'
import { isSame } from '../http.ts'
import { actAsCustomer } from '../simulated-customer.ts'
import { answerCheckouts } from './checkouts.ts'
import { sendBalance, sendTransactions } from './ledger.ts'
import { answerPayouts } from './payouts.ts'
import { type Call, ClientReferences, refuse } from './wave-call.ts'
import { launchUrlOf, sessionOf, WAVE_OPERATORS, waveAccountOf } from './wave-messages.ts'

/** The Wave Business API, and the page that Wave shows to customers. */
export function createWaveSimulator(): SimulatedProtocol {
  const clientReferences = new ClientReferences()
  return {
    name: 'wave',
    prefix: 'wave',
    async answer(simulation, request, response, path) {
      if (path.startsWith('/c/')) {
        const session = simulation.books.find(path.slice('/c/'.length))
        return actAsCustomer(simulation, request, response, session, session?.details?.['success_url'])
      }
      const { authorization } = request.headers
      if (authorization === undefined)
        return refuse(response, 401, 'missing-auth-header', 'Your request should include an HTTP auth header.')
      const operator = WAVE_OPERATORS.find((one) => isSame(authorization, `Bearer ${waveAccountOf(simulation.secret, one).apiKey}`))
      if (!operator) return refuse(response, 401, 'no-matching-api-key', 'The key you provided does not exist.')
      return answerWave({ simulation, request, response, operator, clientReferences }, path)
    },
    callbackOf(simulation, entry, claim) {
      const told: BookEntry = claim ? { ...entry, status: 'SUCCESS' } : entry
      const session = sessionOf(told, launchUrlOf(undefined, entry.reference))
      const type = told.status === 'SUCCESS' ? 'checkout.session.completed' : 'checkout.session.payment_failed'
      const body = JSON.stringify({ id: `EV_${entry.reference.slice(4)}`, type, data: session })
      const time = String(Math.floor(simulation.now().getTime() / 1_000))
      const secret = waveAccountOf(simulation.secret, entry.operator === 'CIWAVE' ? 'CIWAVE' : 'SNWAVE').signingSecret
      const signature = createHmac('sha256', secret).update(`${time}${body}`).digest('hex')
      return { method: 'POST', headers: { 'content-type': 'application/json', 'wave-signature': `t=${time},v1=${signature}` }, body }
    },
  }
}

async function answerWave(call: Call, path: string): Promise<void> {
  if (path === '/v1/balance') return sendBalance(call)
  if (path === '/v1/transactions') return sendTransactions(call)
  if ((await answerCheckouts(call, path)) || (await answerPayouts(call, path))) return
  refuse(call.response, 404, 'not-found', 'Not found.')
}
