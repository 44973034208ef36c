import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { type Simulator, startSimulator } from '#server/operators/simulator/start-simulator.ts'
import { type CallbackServer, startCallbackServer } from '#server/operators/testing/connectors/callback-server.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { airtelAccountOf } from '../airtel/airtel-messages.ts'
import { moovAccountOf } from '../moov/moov-messages.ts'
import { orangeBfAccountOf } from '../orange-bf/answer-orange-bf.ts'
import { orangeCmAccountOf } from '../orange-cm/orange-cm-messages.ts'
import { orangeWebAccountOf } from '../orange-web/answer-orange-web.ts'
import { waveAccountOf } from '../wave/wave-messages.ts'

const SECRET = 'a secret between two programs'
/** Prints a text field of JSON, without a program that not every machine has. */
const FIELD = `field() { sed -n 's/.*"'"$1"'":"\\([^"]*\\)".*/\\1/p'; }`

let folder: string
let simulator: Simulator
let callbacks: CallbackServer
const received = new Map<string, { body: string; signature: string }>()
before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'countersign-programs-'))
  callbacks = await startCallbackServer()
  callbacks.onCallback(async ({ operator, headers, body }) => {
    received.set(operator, { body: body.toString('utf8'), signature: String(headers['wave-signature'] ?? '') })
    return true
  })
  simulator = await startSimulator({ port: 0, folder, secret: SECRET, delayMs: 20, webhookBaseUrl: callbacks.url })
})
after(async () => {
  await simulator.close()
  await callbacks.close()
  await rm(folder, { recursive: true, force: true })
})

const run = (script: string, variables: Readonly<Record<string, string>> = {}) =>
  runScript(`${FIELD}\n${script}`, folder, { URL: simulator.url, CALLBACKS: callbacks.url, ...variables })

test('Airtel: the PIN and the signature of openssl are understood, and its callback has the hash that openssl computes', async () => {
  const { clientId, clientSecret, pin, callbackKey } = airtelAccountOf(SECRET)
  const answer = await run(
    `json=(-s -H 'Content-Type: application/json' -H 'X-Country: UG' -H 'X-Currency: UGX')
    token=$(curl "\${json[@]}" -d '{"client_id":"'$ID'","client_secret":"'$SECRET'","grant_type":"client_credentials"}' $URL/airtel/auth/oauth2/token | field access_token)
    curl "\${json[@]}" -H "Authorization: Bearer $token" $URL/airtel/v1/rsa/encryption-keys | field key | openssl base64 -d -A > rsa.der
    seal() { openssl pkeyutl -encrypt -pubin -keyform DER -inkey rsa.der -pkeyopt rsa_padding_mode:pkcs1 | openssl base64 -A; }
    openssl rand 32 > aes.key; openssl rand 16 > aes.iv
    hex() { od -An -v -tx1 $1 | tr -d ' \\n'; }
    body='{"payee":{"msisdn":"702123341","wallet_type":"NORMAL"},"reference":"Order 4711","pin":"'$(printf %s "$PIN" | seal)'","transaction":{"amount":500,"id":"openssl0001","type":"B2C"}}'
    signature=$(printf %s "$body" | openssl enc -aes-256-cbc -K $(hex aes.key) -iv $(hex aes.iv) | openssl base64 -A)
    sealed=$(printf %s "$(openssl base64 -A < aes.key):$(openssl base64 -A < aes.iv)" | seal)
    curl "\${json[@]}" -H "Authorization: Bearer $token" -H "x-signature: $signature" -H "x-key: $sealed" -d "$body" $URL/airtel/standard/v3/disbursements/`,
    { ID: clientId, SECRET: clientSecret, PIN: pin },
  )
  assert.match(answer, /"response_code":"DP00900001006"/)
  const { body } = await waitUntil('the callback arrives', () => received.get('UGAIRTEL'))
  const transaction = /"transaction":(\{[^}]*\})/.exec(body)?.[1] ?? ''
  const hash = await run('printf %s "$TEXT" | openssl dgst -sha256 -hmac "$KEY" -binary | openssl base64 -A', {
    TEXT: transaction,
    KEY: callbackKey,
  })
  assert.equal(JSON.parse(body).hash, hash)
})

test('Wave: a checkout and a payout by curl, and a webhook with the signature that openssl computes', async () => {
  const { apiKey, signingSecret } = waveAccountOf(SECRET, 'SNWAVE')
  const [session, ...payouts] = (
    await run(
      `json=(-s -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json')
      curl "\${json[@]}" -d '{"amount":"1000","currency":"XOF","error_url":"https://example.com/error","success_url":"https://example.com/success","client_reference":"order-1","restrict_payer_mobile":"+221772093341"}' $URL/wave/v1/checkout/sessions; echo
      for attempt in 1 2; do
        curl "\${json[@]}" -H 'idempotency-key: 0f2e1d3c' -d '{"currency":"XOF","receive_amount":"500","name":"Fatou Ndiaye","mobile":"+221772093341"}' $URL/wave/v1/payout; echo
      done`,
      { KEY: apiKey },
    )
  )
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.deepEqual([session.checkout_status, session.payment_status, session.client_reference], ['open', 'processing', 'order-1'])
  assert.equal(payouts[0].id, payouts[1].id)
  const { body, signature } = await waitUntil('the webhook arrives', () => received.get('SNWAVE'))
  assert.equal(JSON.parse(body).type, 'checkout.session.completed')
  const [, time = '', value] = /^t=(\d+),v1=([0-9a-f]+)$/.exec(signature) ?? []
  const computed = await run(`printf %s "$TEXT" | openssl dgst -sha256 -hmac "$KEY" | sed 's/.* //'`, {
    TEXT: time + body,
    KEY: signingSecret,
  })
  assert.equal(value, computed)
})

test('Orange Cameroon: token, init, pay and status by curl', async () => {
  const account = orangeCmAccountOf(SECRET)
  const answer = await run(
    `token=$(curl -s -u $KEY:$KEYSECRET -d grant_type=client_credentials $URL/orange-cm/token | field access_token)
    json=(-s -H "Authorization: Bearer $token" -H "X-AUTH-TOKEN: $(printf %s "$LOGIN" | openssl base64 -A)" -H 'Content-Type: application/json')
    base=$URL/orange-cm/omcoreapis/1.0.2/mp
    pay=$(curl "\${json[@]}" -X POST $base/init | field payToken)
    curl "\${json[@]}" -d '{"notifUrl":"","channelUserMsisdn":"'$CHANNEL'","amount":"500","subscriberMsisdn":"690209341","pin":"'$PIN'","orderId":"order-1","description":"shoes","payToken":"'$pay'"}' $base/pay > /dev/null
    for attempt in $(seq 100); do
      status=$(curl "\${json[@]}" $base/paymentstatus/$pay)
      case "$status" in *PENDING*) sleep 0.02 ;; *) break ;; esac
    done
    printf %s "$status"`,
    {
      KEY: account.consumerKey,
      KEYSECRET: account.consumerSecret,
      LOGIN: `${account.apiUser}:${account.apiPassword}`,
      CHANNEL: account.channelMsisdn,
      PIN: account.pin,
    },
  )
  const { data } = JSON.parse(answer)
  // Spelt like this.
  assert.deepEqual([data.status, data.amount, data.txnmode, data.confirmtxnstatus], ['SUCCESSFULL', 500, 'order-1', '200'])
})

test('Orange Web Payment: an amount with decimals is refused, a payment by curl is taken, and the notification with the token that the payment was answered with', async () => {
  const account = orangeWebAccountOf(SECRET)
  const answer = await run(
    `token=$(curl -s -u $ID:$IDSECRET -d grant_type=client_credentials $URL/orange-web/oauth/v3/token | field access_token)
    for amount in 500.5 500; do
      curl -s -H "Authorization: Bearer $token" -H 'Content-Type: application/json' -d '{"merchant_key":"'$MERCHANT'","currency":"XOF","order_id":"order-1","amount":'$amount',"return_url":"http://shop.example/back","cancel_url":"http://shop.example/cancel","notif_url":"'$CALLBACKS'/CIOM","lang":"fr","reference":"Shop"}' $URL/orange-web/orange-money-webpay/ci/v1/webpayment; echo
    done`,
    { ID: account.clientId, IDSECRET: account.clientSecret, MERCHANT: account.merchantKey },
  )
  const [refused, payment] = answer.split('\n').map((line) => JSON.parse(line))
  assert.deepEqual([refused.code, refused.message], [23, 'Invalid body field'])
  assert.deepEqual([payment.status, payment.message], [201, 'OK'])
  await run('curl -s -o /dev/null -X POST "$PAGE"', { PAGE: payment.payment_url })
  const { body } = await waitUntil('the notification arrives', () => received.get('CIOM'))
  const { status, notif_token, txnid } = JSON.parse(body)
  assert.deepEqual([status, notif_token], ['SUCCESS', payment.notif_token])
  assert.match(txnid, /^MP/)
})

test("Orange Burkina Faso: a payment by curl with the customer's code, once, and a reply without a root", async () => {
  const account = orangeBfAccountOf(SECRET)
  const answer = await run(
    `otp=$(curl -s "$URL/orange-bf/ussd?msisdn=67209341&amount=500" | field otp)
    xml="<?xml version='1.0' encoding='UTF-8'?><COMMAND><TYPE>OMPREQ</TYPE><customer_msisdn>67209341</customer_msisdn><merchant_msisdn>$MERCHANT</merchant_msisdn><api_username>$NAME</api_username><api_password>$PASSWORD</api_password><amount>500</amount><PROVIDER>101</PROVIDER><PROVIDER2>101</PROVIDER2><PAYID>12</PAYID><PAYID2>12</PAYID2><otp>$otp</otp><reference_number>789233</reference_number><ext_txn_id>order-bf-1</ext_txn_id></COMMAND>"
    for attempt in 1 2; do curl -s -H 'Content-Type: text/xml' -d "$xml" $URL/orange-bf/payment; echo; done`,
    { MERCHANT: account.merchantMsisdn, NAME: account.apiUsername, PASSWORD: account.apiPassword },
  )
  const [first = '', second = ''] = answer.split('\n')
  assert.match(first, /^<status>200<\/status><message>[^<]+<\/message><transID>OM[^<]+<\/transID>$/)
  assert.match(second, /^<status>990418<\/status><message>[^<]+<\/message><transID><\/transID>$/)
})

test('Moov: the token that openssl encrypts is understood, and its published example is the same here', async () => {
  const encrypt = `printf %s "0:$NAME:$PASSWORD" | openssl enc -aes-256-cbc -K $(printf %s "$KEY" | od -An -v -tx1 | tr -d ' \\n') -iv 00000000000000000000000000000000 | openssl base64 -A`
  const example = await run(encrypt, { NAME: 'username', PASSWORD: 'password', KEY: 'tlc12345'.repeat(4) })
  assert.equal(example, 'hnTyz1stTsRO8PxwCssFHwwUakVCzRFeJ4Ms/F9cem0=')
  const { username, password, key, accountMsisdn } = moovAccountOf(SECRET, 'bj')
  const answer = await run(
    `curl -s -H 'Content-Type: text/xml' -d '<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" xmlns:api="http://api.merchant.tlc.com/"><soapenv:Body><api:getBalance><token>'$(${encrypt})'</token><request><msisdn>'$MSISDN'</msisdn></request></api:getBalance></soapenv:Body></soapenv:Envelope>' $URL/moov/bj/com.tlc.merchant.api/UssdPush`,
    { NAME: username, PASSWORD: password, KEY: key, MSISDN: accountMsisdn },
  )
  assert.match(answer, /<soap:Body><ns2:getBalanceResponse .*<return><balance>\d+<\/balance>.*<status>0<\/status><\/return>/)
})

/** Runs a shell script, such as a merchant writes with curl and openssl, and returns what it prints. A failing command ends it. */
async function runScript(script: string, folder: string, variables: Readonly<Record<string, string>>): Promise<string> {
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], {
    cwd: folder,
    timeout: 30_000,
    env: { PATH: process.env['PATH'], HOME: folder, NODE_ENV: 'test', NO_PROXY: '127.0.0.1', ...variables },
  })
  return stdout.trim()
}
