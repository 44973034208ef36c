import type { ClientLanguage } from '#lib/partner/reference.ts'

// Programs of a partner, which use the client beside them. Each prints one JSON object.

const TYPESCRIPT = `import { randomUUID } from 'node:crypto'
import { CountersignClient, CountersignError, type PaymentRequest } from './countersign.ts'

const { BASE_URL = '', API_KEY = '', API_ID = '', API_USER = '', API_PASSWORD = '', WEBHOOK_URL = '' } = process.env
const options = { baseUrl: BASE_URL, apiKey: API_KEY, apiId: API_ID, username: API_USER, password: API_PASSWORD }
const client = new CountersignClient(options)

async function refusalOf(call: Promise<unknown>) {
  try {
    await call
  } catch (error) {
    if (error instanceof CountersignError) return [error.status, error.code, error.message.length > 0, error.idempotencyKey ?? null]
    throw error
  }
  return 'none'
}

const collect = await client.createCollect({
  customerName: 'Clarisse Mbarga', transferMethod: 'MOMOCM', phoneNumber: '237677209341', amount: 5000, webhookUrl: WEBHOOK_URL, countryName: 'CAMEROON',
})
const read = async () => (await client.listTransactions({ externalId: collect.externalId })).transactions[0]
while ((await read())?.status !== 'SUCCESS') await new Promise((resolve) => setTimeout(resolve, 50))
const payment: PaymentRequest = {
  customerName: 'Aminata Diop', transferMethod: 'SNWAVE', phoneNumber: '221771234567', amount: 12500.5, webhookUrl: WEBHOOK_URL, countryName: 'SENEGAL',
}
const idempotencyKey = randomUUID()
const [first, second] = [await client.createDeposit(payment, { idempotencyKey }), await client.createDeposit(payment, { idempotencyKey })]
const refund = await client.refundCollect(collect.transactionId, { externalId: randomUUID(), amount: 1000 })
const listed: string[] = []
let cursor: string | null = null
do {
  const page: Awaited<ReturnType<typeof client.listTransactions>> = await client.listTransactions({ limit: 1, cursor })
  listed.push(...page.transactions.map(({ transactionId }) => transactionId))
  cursor = page.nextCursor
} while (cursor !== null)
const operators = await Promise.all([client.listOperators(), client.listOperators()])
const refusals = {
  otherContent: await refusalOf(client.createDeposit({ ...payment, amount: 700 }, { idempotencyKey })),
  busy: await refusalOf(client.checkAccount({ transferMethod: 'MOMOCM', phoneNumber: '237677209341' })),
  page: await refusalOf(client.listBatches()),
  moved: await refusalOf(client.listRefunds(collect.transactionId)),
  slow: await refusalOf(new CountersignClient({ ...options, timeoutMs: 5000 }).createCollect(payment, { idempotencyKey })),
  away: await refusalOf(new CountersignClient({ ...options, baseUrl: 'http://127.0.0.1:1' }).listOperators()),
  password: await refusalOf(new CountersignClient({ ...options, password: 'wrong' }).listOperators()),
}
console.log(JSON.stringify({
  idempotencyKey, collect, deposits: [first.transactionId, second.transactionId], refund, listed,
  operators: operators.map(({ length }) => length), refusals,
}))
`

const PYTHON = `import json
import os
import time
import uuid

from countersign import CountersignClient, CountersignError, PaymentRequest

credentials = [os.environ[name] for name in ("API_KEY", "API_ID", "API_USER", "API_PASSWORD")]
base_url, webhook_url = os.environ["BASE_URL"], os.environ["WEBHOOK_URL"]
client = CountersignClient(base_url, *credentials)


def refusal_of(call):
    try:
        call()
    except CountersignError as error:
        return [error.status, error.code, len(error.message) > 0, error.idempotency_key]
    return "none"


collect = client.create_collect({
    "customerName": "Clarisse Mbarga", "transferMethod": "MOMOCM", "phoneNumber": "237677209341", "amount": 5000, "webhookUrl": webhook_url, "countryName": "CAMEROON",
})
while client.list_transactions(external_id=collect["externalId"])["transactions"][0]["status"] != "SUCCESS":
    time.sleep(0.05)
payment: PaymentRequest = {
    "customerName": "Aminata Diop", "transferMethod": "SNWAVE", "phoneNumber": "221771234567", "amount": 12500.5, "webhookUrl": webhook_url, "countryName": "SENEGAL",
}
key = str(uuid.uuid4())
first, second = client.create_deposit(payment, key), client.create_deposit(payment, key)
refund = client.refund_collect(collect["transactionId"], {"externalId": str(uuid.uuid4()), "amount": 1000})
listed = []
cursor = None
while True:
    page = client.list_transactions(limit=1, cursor=cursor)
    listed += [transaction["transactionId"] for transaction in page["transactions"]]
    cursor = page["nextCursor"]
    if cursor is None:
        break
operators = [len(client.list_operators()), len(client.list_operators())]
slow = CountersignClient(base_url, *credentials, timeout_s=5)
away = CountersignClient("http://127.0.0.1:1", *credentials)
wrong = CountersignClient(base_url, *credentials[:3], "wrong")
refusals = {
    "otherContent": refusal_of(lambda: client.create_deposit({**payment, "amount": 700}, key)),
    "busy": refusal_of(lambda: client.check_account({"transferMethod": "MOMOCM", "phoneNumber": "237677209341"})),
    "page": refusal_of(lambda: client.list_batches()),
    "moved": refusal_of(lambda: client.list_refunds(collect["transactionId"])),
    "slow": refusal_of(lambda: slow.create_collect(payment, key)),
    "away": refusal_of(lambda: away.list_operators()),
    "password": refusal_of(lambda: wrong.list_operators()),
}
print(json.dumps({
    "idempotencyKey": key, "collect": collect, "deposits": [first["transactionId"], second["transactionId"]], "refund": refund, "listed": listed,
    "operators": operators, "refusals": refusals,
}))
`

const PHP = `<?php
require 'countersign.php';

$credentials = array_map('getenv', ['API_KEY', 'API_ID', 'API_USER', 'API_PASSWORD']);
$webhookUrl = getenv('WEBHOOK_URL');
$client = new CountersignClient(getenv('BASE_URL'), ...$credentials);

function refusalOf(callable $call): array|string
{
    try {
        $call();
    } catch (CountersignException $error) {
        return [$error->status, $error->errorCode, $error->getMessage() !== '', $error->idempotencyKey];
    }
    return 'none';
}

function newUuid(): string
{
    $hex = bin2hex(random_bytes(16));
    return substr($hex, 0, 8) . '-' . substr($hex, 8, 4) . '-4' . substr($hex, 13, 3) . '-a' . substr($hex, 17, 3) . '-' . substr($hex, 20);
}

$collect = $client->createCollect([
    'customerName' => 'Clarisse Mbarga', 'transferMethod' => 'MOMOCM', 'phoneNumber' => '237677209341', 'amount' => 5000, 'webhookUrl' => $webhookUrl, 'countryName' => 'CAMEROON',
]);
while ($client->listTransactions(externalId: $collect['externalId'])['transactions'][0]['status'] !== 'SUCCESS') {
    usleep(50000);
}
$payment = [
    'customerName' => 'Aminata Diop', 'transferMethod' => 'SNWAVE', 'phoneNumber' => '221771234567', 'amount' => 12500.5, 'webhookUrl' => $webhookUrl, 'countryName' => 'SENEGAL',
];
$key = newUuid();
$first = $client->createDeposit($payment, $key);
$second = $client->createDeposit($payment, $key);
$refund = $client->refundCollect($collect['transactionId'], ['externalId' => newUuid(), 'amount' => 1000]);
$listed = [];
$cursor = null;
do {
    $page = $client->listTransactions(limit: 1, cursor: $cursor);
    $listed = array_merge($listed, array_column($page['transactions'], 'transactionId'));
    $cursor = $page['nextCursor'];
} while ($cursor !== null);
$operators = [count($client->listOperators()), count($client->listOperators())];
$slow = new CountersignClient(getenv('BASE_URL'), ...$credentials, ...['timeoutMs' => 5000]);
$away = new CountersignClient('http://127.0.0.1:1', ...$credentials);
$wrong = new CountersignClient(getenv('BASE_URL'), $credentials[0], $credentials[1], $credentials[2], 'wrong');
$refusals = [
    'otherContent' => refusalOf(fn () => $client->createDeposit(['amount' => 700] + $payment, $key)),
    'busy' => refusalOf(fn () => $client->checkAccount(['transferMethod' => 'MOMOCM', 'phoneNumber' => '237677209341'])),
    'page' => refusalOf(fn () => $client->listBatches()),
    'moved' => refusalOf(fn () => $client->listRefunds($collect['transactionId'])),
    'slow' => refusalOf(fn () => $slow->createCollect($payment, $key)),
    'away' => refusalOf(fn () => $away->listOperators()),
    'password' => refusalOf(fn () => $wrong->listOperators()),
];
echo json_encode([
    'idempotencyKey' => $key, 'collect' => $collect, 'deposits' => [$first['transactionId'], $second['transactionId']], 'refund' => $refund,
    'listed' => $listed, 'operators' => $operators, 'refusals' => $refusals,
]);
`

/** Everything that a partner's program does with a client. */
export const CLIENT_PROGRAMS: Record<ClientLanguage, string> = { typescript: TYPESCRIPT, python: PYTHON, php: PHP }

/** Programs that verify `headers.json` and `body.json`, and print whether the webhook is genuine. */
export const CLIENT_VERIFIERS: Record<ClientLanguage, string> = {
  typescript: `import { readFileSync } from 'node:fs'
import { isGenuineWebhook } from './countersign.ts'
const headers = JSON.parse(readFileSync('headers.json', 'utf8'))
console.log(isGenuineWebhook(headers, readFileSync('body.json', 'utf8'), process.env.WEBHOOK_SECRET ?? ''))
`,
  python: `import json
import os
from countersign import is_genuine_webhook
headers = json.load(open("headers.json", encoding="utf-8"))
print("true" if is_genuine_webhook(headers, open("body.json", "rb").read(), os.environ["WEBHOOK_SECRET"]) else "false")
`,
  php: `<?php
require 'countersign.php';
$headers = json_decode(file_get_contents('headers.json'), true);
$isGenuine = CountersignClient::isGenuineWebhook($headers, file_get_contents('body.json'), getenv('WEBHOOK_SECRET'));
echo $isGenuine ? 'true' : 'false';
`,
}
