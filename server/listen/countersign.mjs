#!/usr/bin/env node
// Plain JavaScript without packages: it runs on the developer's own Node.
import { env } from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'

const USAGE = `Usage: countersign listen --forward-to <host:port/path> [--after <cursor>]

Brings the webhooks of a sandbox to a server on this machine. The environment holds
BASE_URL, API_KEY, API_ID, API_USER and API_PASSWORD.`

/** One long poll, which the service answers after ten seconds at the latest. */
const WAIT_S = 10
const POLL_TIMEOUT_MS = 30_000
/** A developer may stop at a breakpoint; the service itself waits for five seconds. */
const LOCAL_TIMEOUT_MS = 120_000
const SERVICE_TIMEOUT_MS = 5_000
const RETRY_MS = 1_000

const NAMES = ['BASE_URL', 'API_KEY', 'API_ID', 'API_USER', 'API_PASSWORD']

/** Ends the program with a sentence that says what to change. */
function fail(sentence) {
  console.error(sentence)
  process.exit(1)
}

function readSettings() {
  let parsed
  try {
    parsed = parseArgs({ allowPositionals: true, options: { 'forward-to': { type: 'string' }, after: { type: 'string' } } })
  } catch (error) {
    return fail(`${error.message}\n\n${USAGE}`)
  }
  const { values, positionals } = parsed
  if (positionals.length !== 1 || positionals[0] !== 'listen' || !values['forward-to']) return fail(USAGE)
  const missing = NAMES.filter((name) => !env[name])
  if (missing.length > 0) return fail(`The environment has no ${missing.join(', ')}.\n\n${USAGE}`)
  const address = /^https?:\/\//i.test(values['forward-to']) ? values['forward-to'] : `http://${values['forward-to']}`
  if (!URL.canParse(address)) return fail(`${values['forward-to']} is no address.`)
  if (!URL.canParse(env.BASE_URL)) return fail('BASE_URL is no address.')
  return { forwardTo: address, after: values.after, baseUrl: env.BASE_URL.replace(/\/+$/, '') }
}

const { forwardTo, after, baseUrl } = readSettings()
let token

/** Signs in. Ends the program if the service refuses the password. */
async function signIn() {
  const response = await fetch(`${baseUrl}/public/access_token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: env.API_USER, password: env.API_PASSWORD }),
    signal: AbortSignal.timeout(POLL_TIMEOUT_MS),
  })
  const answer = await response.json()
  if (response.ok) token = answer.access_token
  else if (response.status < 500 && response.status !== 429) fail(`Sign-in refused: ${answer.message}`)
  else throw new Error(answer.message)
}

/** Waits for the webhooks behind a cursor; without one, returns the cursor of now. A token that has ended is renewed once. */
async function poll(cursor, mayRenew = true) {
  if (token === undefined) await signIn()
  const query = cursor === undefined ? '' : `?${new URLSearchParams({ after: cursor, wait: String(WAIT_S) })}`
  const response = await fetch(`${baseUrl}/api/v2/webhook-events${query}`, {
    headers: { apiKey: env.API_KEY, apiId: env.API_ID, authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(POLL_TIMEOUT_MS),
  })
  const answer = await response.json()
  if (response.ok) return answer
  if (response.status === 401 && mayRenew) {
    token = undefined
    return poll(cursor, false)
  }
  if (response.status < 500 && response.status !== 429) fail(`Refused with ${response.status}: ${answer.message}`)
  throw new Error(answer.message)
}

/** Sends one webhook to the local server; false if nothing listens there. */
async function forward({ cursor, transactionId, status, headers, body }) {
  const startedMs = performance.now()
  let outcome
  try {
    const response = await fetch(forwardTo, {
      method: 'POST',
      headers,
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(LOCAL_TIMEOUT_MS),
    })
    await response.arrayBuffer()
    outcome = response.status === 200 ? '200' : `${response.status} (only 200 counts as received)`
  } catch (error) {
    if (isUnreachable(error)) return false
    outcome = `no answer: ${error.cause?.message ?? error.message}`
  }
  const durationMs = Math.round(performance.now() - startedMs)
  const late = durationMs > SERVICE_TIMEOUT_MS ? ' (the service waits for 5 s)' : ''
  console.log(`${new Date().toISOString()}  ${status}  ${transactionId}  ->  ${outcome}  ${durationMs} ms${late}  ${cursor}`)
  return true
}

/** Nothing was sent: the connection was not made. `localhost` can be two addresses, each with an error of its own. */
function isUnreachable({ cause }) {
  return [cause, ...(cause?.errors ?? [])].some((one) => one?.code === 'ECONNREFUSED')
}

async function listen() {
  let cursor = after
  let said
  const sayOnce = (sentence) => {
    if (said !== sentence) console.error(sentence)
    said = sentence
  }
  for (;;) {
    try {
      const { events, cursor: next } = await poll(cursor)
      if (said === undefined) console.log(`Listening. Webhooks go to ${forwardTo}`)
      said = ''
      let isForwarded = true
      for (const event of events) {
        isForwarded = await forward(event)
        if (!isForwarded) break
        cursor = event.cursor
      }
      if (isForwarded) {
        cursor = next
        continue
      }
      // Read again before the next attempt, so that its signature is new: a receiver refuses one of five minutes ago.
      sayOnce(`Nothing listens at ${forwardTo}. Trying again until something does.`)
    } catch (error) {
      sayOnce(`No connection to ${baseUrl}: ${error.cause?.message || error.message}. Trying again.`)
    }
    await delay(RETRY_MS)
  }
}

await listen()
