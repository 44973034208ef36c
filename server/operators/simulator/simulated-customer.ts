import type { IncomingMessage, ServerResponse } from 'node:http'
import { Agent } from 'undici'
import { z } from 'zod'
import { behaviourFor } from './behaviour.ts'
import type { BookEntry } from './books.ts'
import { answer, isSame, readJson, refuse } from './http.ts'
import { conclude, type SimulatedCustomer, type Simulation } from './simulation.ts'

/** A message that a customer receives: the address of the page of a payment, and the number of the phone that it arrives on. */
const invitationSchema = z.object({ pageUrl: z.url({ protocol: /^https?$/ }).max(2_048), phoneNumber: z.string().regex(/^\d{6,15}$/) })
type Invitation = z.infer<typeof invitationSchema>

const IN_PROGRESS_MAX = 16
const TIMEOUT_MS = 5_000
/** The page does not count these visits as those of a tester. */
const USER_AGENT = 'simulated-customer'

const PHONE =
  '<!DOCTYPE html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Simulated phone</title>' +
  '<h1>Simulated phone</h1><form><p><label>Its number, with the dial code <input name="msisdn" inputmode="numeric"></label>' +
  '<p><label>Dial <input name="dial"></label> <button>Call</button></form></html>'

/** Customers who dial what their page says, and enter the code that comes back. Links are followed where the operator shows its page. */
export function createSimulatedCustomer(simulationOf: () => Simulation): SimulatedCustomer {
  const agent = new Agent({ connections: IN_PROGRESS_MAX, connectTimeout: TIMEOUT_MS, headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS })
  const waiting: Invitation[] = []
  const known = new Set<string>()
  const timers = new Set<NodeJS.Timeout>()
  let inProgress = 0

  async function read(url: string): Promise<string> {
    const page = await agent.request({ ...placeOf(url), method: 'GET', headers: { 'user-agent': USER_AGENT } })
    return page.body.text()
  }

  async function act({ pageUrl, phoneNumber }: Invitation): Promise<void> {
    const html = await read(pageUrl)
    const dialled = decodeURIComponent(/ href="tel:([^"]+)"/.exec(html)?.[1] ?? '')
    const action = /<form method="post" action="([^"]+)"/.exec(html)?.[1]
    const code = dial(simulationOf(), phoneNumber, dialled)
    // Nothing is asked for, or no longer.
    if (action === undefined || code === undefined) return
    const posted = await agent.request({
      ...placeOf(new URL(action.replaceAll('&amp;', '&'), pageUrl).href),
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'user-agent': USER_AGENT },
      body: new URLSearchParams({ code }).toString(),
    })
    await posted.body.dump()
  }

  function begin(invitation: Invitation): void {
    if (inProgress >= IN_PROGRESS_MAX) return void waiting.push(invitation)
    inProgress++
    act(invitation)
      // biome-ignore lint/plugin/no-silent-error: the page cannot be reached now. Its sender repeats the invitation.
      .catch(() => undefined)
      .finally(() => {
        inProgress--
        known.delete(invitation.pageUrl)
        const next = waiting.shift()
        if (next) begin(next)
      })
  }

  return {
    invite(invitation) {
      if (known.has(invitation.pageUrl)) return
      known.add(invitation.pageUrl)
      const waitMs = hesitationMs(simulationOf(), invitation.phoneNumber)
      if (waitMs === 0) return begin(invitation)
      const timer = setTimeout(() => {
        timers.delete(timer)
        begin(invitation)
      }, waitMs)
      timers.add(timer)
    },
    close() {
      for (const timer of timers) clearTimeout(timer)
      waiting.length = 0
      return agent.destroy()
    },
  }
}

/** POST /customers: invites the customer who has this number. */
export async function inviteCustomer(simulation: Simulation, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (!isSame(request.headers.authorization ?? '', `Bearer ${simulation.secret}`))
    return refuse(response, 401, 'UNAUTHORISED', 'The secret is not right')
  const invitation = invitationSchema.safeParse(await readJson(request)).data
  if (!invitation) return refuse(response, 400, 'MALFORMED', 'The body is not an invitation')
  simulation.customer.invite(invitation)
  answer(response, 202, {})
}

/** GET /phone: a form. GET /phone?msisdn=22676123341&dial=*144*4*6*5000%23: what the phone with this number shows after dialling. */
export function answerPhone(simulation: Simulation, request: IncomingMessage, response: ServerResponse): void {
  const { searchParams } = new URL(request.url ?? '/', 'http://simulator')
  if (searchParams.size === 0) return void response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(PHONE)
  const code = dial(simulation, searchParams.get('msisdn') ?? '', searchParams.get('dial') ?? '')
  if (code === undefined) refuse(response, 404, 'UNKNOWN_DIAL', 'No operator knows this number and what it dials')
  else answer(response, 200, { code })
}

function dial({ protocols }: Simulation, phoneNumber: string, dialled: string): string | undefined {
  for (const protocol of protocols) {
    const code = protocol.dial?.(phoneNumber, dialled)
    if (code !== undefined) return code
  }
  return undefined
}

/** Where the operator answers at once, it is the customer who is slow. */
function hesitationMs({ protocols, slowDelayMs }: Simulation, phoneNumber: string): number {
  if (behaviourFor(phoneNumber).due !== 'slow') return 0
  return protocols.some(({ slowCustomers }) => slowCustomers?.test(phoneNumber)) ? slowDelayMs : 0
}

function placeOf(url: string): { origin: string; path: string } {
  const { origin, pathname, search } = new URL(url)
  return { origin, path: pathname + search }
}

/** A tester who opened a page and went away does not leave the payment open forever. */
const TESTER_MS = 300_000

/**
 * The page behind a link of the simulated operators. A tester who opens it before the simulated customer acts is the customer from then
 * on; what follows is decided by the phone number all the same.
 */
export function actAsCustomer(
  simulation: Simulation,
  request: IncomingMessage,
  response: ServerResponse,
  entry: BookEntry | undefined,
  returnUrl?: string | undefined,
): void {
  if (!entry) return page(response, 404, '<p>There is no such payment.</p>')
  if (request.method === 'POST') {
    if (behaviourFor(entry.phoneNumber).due !== 'never') conclude(simulation, entry.reference)
    if (returnUrl) return void response.writeHead(303, { location: returnUrl }).end()
  } else if (entry.status === 'PENDING') simulation.testers.set(entry.reference, simulation.now().getTime() + TESTER_MS)
  const form = '<form method="post"><button>Pay</button></form>'
  page(response, 200, `<p>${entry.amount} ${entry.currency}</p>${entry.status === 'PENDING' ? form : `<p>${entry.status}</p>`}`)
}

function page(response: ServerResponse, status: number, content: string): void {
  const head =
    '<!DOCTYPE html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Simulated operator</title>'
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' }).end(`${head}<h1>Simulated operator</h1>${content}</html>`)
}
