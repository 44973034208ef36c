import type { IncomingMessage, ServerResponse } from 'node:http'
import { behaviourFor } from './behaviour.ts'
import type { BookEntry } from './books.ts'
import { conclude, type Simulation } from './simulation.ts'

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
