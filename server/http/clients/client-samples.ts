import type { ClientLanguage } from '#lib/partner/reference.ts'

const TYPESCRIPT = `import { CountersignClient, CountersignError } from './countersign.ts'

const { BASE_URL = '', API_KEY = '', API_ID = '', API_USER = '', API_PASSWORD = '' } = process.env
const client = new CountersignClient({ baseUrl: BASE_URL, apiKey: API_KEY, apiId: API_ID, username: API_USER, password: API_PASSWORD })
try {
  const collect = await client.createCollect({
    customerName: 'Clarisse Mbarga',
    transferMethod: 'MOMOCM',
    phoneNumber: '237677209341',
    amount: 5000,
    webhookUrl: 'https://partner.example/hooks/payments',
    countryName: 'CAMEROON',
  })
  console.log(collect.transactionId, collect.transactionStatus)
} catch (error) {
  if (error instanceof CountersignError) console.error(error.status, error.code, error.message, error.idempotencyKey)
  throw error
}`

const PYTHON = `import os
from countersign import CountersignClient, CountersignError

base_url, api_key, api_id, username, password = (
    os.environ[name] for name in ("BASE_URL", "API_KEY", "API_ID", "API_USER", "API_PASSWORD")
)
client = CountersignClient(base_url, api_key, api_id, username, password)
try:
    collect = client.create_collect({
        "customerName": "Clarisse Mbarga",
        "transferMethod": "MOMOCM",
        "phoneNumber": "237677209341",
        "amount": 5000,
        "webhookUrl": "https://partner.example/hooks/payments",
        "countryName": "CAMEROON",
    })
    print(collect["transactionId"], collect["transactionStatus"])
except CountersignError as error:
    print(error.status, error.code, error.message, error.idempotency_key)
    raise`

const PHP = `<?php
require 'countersign.php';

[$baseUrl, $apiKey, $apiId, $username, $password] =
    array_map('getenv', ['BASE_URL', 'API_KEY', 'API_ID', 'API_USER', 'API_PASSWORD']);
$client = new CountersignClient($baseUrl, $apiKey, $apiId, $username, $password);
try {
    $collect = $client->createCollect([
        'customerName' => 'Clarisse Mbarga',
        'transferMethod' => 'MOMOCM',
        'phoneNumber' => '237677209341',
        'amount' => 5000,
        'webhookUrl' => 'https://partner.example/hooks/payments',
        'countryName' => 'CAMEROON',
    ]);
    echo $collect['transactionId'], ' ', $collect['transactionStatus'];
} catch (CountersignException $error) {
    error_log("$error->status $error->errorCode {$error->getMessage()} $error->idempotencyKey");
    throw $error;
}`

/** A first collect with each client, in a file beside it. */
export const CLIENT_SAMPLES: Record<ClientLanguage, string> = { typescript: TYPESCRIPT, python: PYTHON, php: PHP }
