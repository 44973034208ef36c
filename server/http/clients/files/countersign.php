<?php

// Client of the Countersign API, version 2. PHP 8.1 and later with the extension curl, without packages.
// Types and operations are made from the OpenAPI document, /api/v2/openapi.json.

declare(strict_types=1);

/** A refusal of the service, or no answer from it. */
final class CountersignException extends RuntimeException
{
    /**
     * @param int $status The HTTP status, or 0 if no answer arrived.
     * @param string $errorCode What is wrong, for programs: the code of the answer, or timeout, no_connection or unreadable_answer.
     * @param ?string $idempotencyKey The key of the request. After a timeout, repeat the call with it: the payment is made once.
     * @param ?int $retryAfterS How long the service asks to wait before the next attempt, if it says so.
     */
    public function __construct(
        public readonly int $status,
        public readonly string $errorCode,
        string $message,
        public readonly ?string $idempotencyKey = null,
        public readonly ?int $retryAfterS = null,
    ) {
        parent::__construct($message, $status);
    }
}

/**
 * Calls the service.
 *
 * npm run clients: begin types
 * @phpstan-type TransferMethod 'OMCM'|'MOMOCM'|'CIWAVE'|'CIOM'|'SNWAVE'|'SNOM'|'SNFREE'|'BFOM'|'MLMOOV'|'BJMTN'|'BJMOOV'|'UGMTN'|'UGAIRTEL'
 * @phpstan-type CountryName 'CAMEROON'|'IVORY_COAST'|'SENEGAL'|'BURKINA_FASO'|'MALI'|'BENIN'|'UGANDA'
 * @phpstan-type TransactionStatus 'PENDING'|'PENDING_APPROVAL'|'SUCCESS'|'FAILED'
 * @phpstan-type TransactionType 'COLLECT'|'DEPOSIT'
 * @phpstan-type Currency 'XAF'|'XOF'|'UGX'
 * @phpstan-type PaymentRequest array{transferMethod: TransferMethod, customerName: string, externalId?: string, phoneNumber: string, amount: int|float, webhookUrl: string, countryName: CountryName, purpose?: string}
 * @phpstan-type InitiationResponse array{transactionId: string, externalId: string, transferMethod: TransferMethod, customerName: string, customerPhone: string, payToken: string, amount: int|float, feesSystem: int|float, feesApp: int|float, transactionStatus: TransactionStatus, purpose: string}
 * @phpstan-type BatchRequest array{name?: string, webhookUrl?: string, deposits: list<BatchDeposit>}
 * @phpstan-type BatchDeposit array{transferMethod: TransferMethod, customerName: string, externalId: string, phoneNumber: string, amount: int|float, countryName: CountryName, purpose?: string}
 * @phpstan-type BatchCounts array{QUEUED: int, REFUSED: int, PENDING: int, PENDING_APPROVAL: int, SUCCESS: int, FAILED: int}
 * @phpstan-type Batch array{batchId: string, idempotencyKey: string, name: string, webhookUrl: string, depositCount: int, createdAt: string, counts: BatchCounts}
 * @phpstan-type BatchPage array{batchId: string, idempotencyKey: string, name: string, webhookUrl: string, depositCount: int, createdAt: string, counts: BatchCounts, deposits: list<BatchRow>, nextCursor: string|null}
 * @phpstan-type BatchRow array{index: int, externalId: string, status: 'QUEUED'|'REFUSED'|'PENDING'|'PENDING_APPROVAL'|'SUCCESS'|'FAILED', transactionId: string|null, code: string|null, message: string|null, transferMethod: TransferMethod, phoneNumber: string, amount: int|float}
 * @phpstan-type ListedBatch array{batchId: string, idempotencyKey: string, name: string, webhookUrl: string, depositCount: int, createdAt: string}
 * @phpstan-type BatchList array{batches: list<ListedBatch>, nextCursor: string|null}
 * @phpstan-type TransactionList array{transactions: list<Transaction>, nextCursor: string|null}
 * @phpstan-type Transaction array{transactionId: string, externalId: string, transactionType: TransactionType, status: TransactionStatus, message: string|null, transferMethod: TransferMethod, countryName: CountryName, currency: Currency, amount: int|float, feesSystem: int|float, feesApp: int|float, phoneNumber: string, customerName: string, purpose: string, operatorReference: string|null, refundOf: string|null, refundedAmount: int|float, createdAt: string, completedAt: string|null}
 * @phpstan-type RefundRequest array{externalId: string, amount?: int|float, webhookUrl?: string}
 * @phpstan-type RefundList array{refunds: list<Transaction>, refundedAmount: int|float, remainingAmount: int|float}
 * @phpstan-type TransactionRecord array{id: string, externalId: string, amount: int|float, feesSystem: int|float, feesApp: int|float, phoneReceiver: string, receiverName: string, status: TransactionStatus, transferMethod: TransferMethod, transactionType: TransactionType, countryName: CountryName, payToken: string, purpose: string}
 * @phpstan-type OperatorStatusCollect array{state: 'OPERATIONAL'|'DELAYED'|'CLOSED'|'SHORT'|'DISABLED'|'NOT_IN_SERVICE', since: string|null, minimumAmount: int|float, maximumAmount: int|float, amountMultiple: int|float|null, enforcesLimits: bool}
 * @phpstan-type OperatorStatusDeposit array{state: 'OPERATIONAL'|'DELAYED'|'CLOSED'|'SHORT'|'DISABLED'|'NOT_IN_SERVICE', since: string|null, minimumAmount: int|float, maximumAmount: int|float, amountMultiple: int|float|null, enforcesLimits: bool}
 * @phpstan-type OperatorStatus array{transferMethod: TransferMethod, brand: string, countryName: CountryName, currency: Currency, collect: OperatorStatusCollect, deposit: OperatorStatusDeposit}
 * @phpstan-type AccountCheckRequest array{transferMethod: TransferMethod, phoneNumber: string}
 * @phpstan-type AccountCheck array{transferMethod: TransferMethod, phoneNumber: string, status: 'ACTIVE'|'NOT_REGISTERED'|'BARRED'|'UNKNOWN'|'NOT_OFFERED', holderName: string|null, checkedAt: string|null}
 * @phpstan-type SettledDay array{wallet: string, operator: TransferMethod, account: 'collect'|'deposit'|'both', currency: Currency, day: string, startsAt: string, endsAt: string, version: int, state: 'signed'|'to_be_signed_again', signedAt: string, certificateHash: string}
 * @phpstan-type SettlementReportTransactionsItem array{transactionId: string, externalId: string, transactionType: TransactionType, operatorReference: string|null, gross: int|float, feesSystem: int|float, feesApp: int|float, net: int|float, completedAt: string, operatorTime: string|null, class: 'success_failed_there'|'success_absent_there'|'paid_there'|'in_transit'|'open'|'failed_both'|'matched', adjustments: list<'reverse'|'late'|'concede'|'fees_out'>}
 * @phpstan-type SettlementReportAdjustmentsItem array{kind: 'fund'|'move'|'correct'|'withdraw'|'reverse'|'late'|'concede'|'fees_out', id: string, transactionId: string|null, net: int|float, at: string}
 * @phpstan-type SettlementReport array{wallet: string, operator: TransferMethod, account: 'collect'|'deposit'|'both', currency: Currency, day: string, startsAt: string, endsAt: string, version: int, state: 'signed'|'to_be_signed_again', signedAt: string, certificateHash: string, opening: int|float, closing: int|float, transactionCount: int, transactionsNet: int|float, adjustmentCount: int, adjustmentsNet: int|float, page: int, size: int, transactions: list<SettlementReportTransactionsItem>, adjustments: list<SettlementReportAdjustmentsItem>}
 * @phpstan-type TransactionResult array{externalId: string, transactionId: string, status: 'SUCCESS'|'FAILED', amount: int|float, phoneNumber: string, transferMethod: TransferMethod, message: string, timestamp: string, transactionStatus?: 'SUCCESS'|'FAILED'}
 * npm run clients: end types
 */
final class CountersignClient
{
    /** The longest Retry-After that the client waits for itself, in seconds. */
    private const RETRY_AFTER_S_MAX = 60;
    /** How far the clock of the service may be from this one when a webhook is verified, in seconds. */
    private const TOLERANCE_S = 300;

    private ?string $token = null;

    /**
     * @param string $baseUrl The address of the service, without a path.
     * @param string $username Of an API user.
     * @param int $timeoutMs How long one request may take, its answer included.
     * @param int $retriesMax How often a request that may be repeated is repeated after a 429 or 503 with Retry-After.
     */
    public function __construct(
        private readonly string $baseUrl,
        private readonly string $apiKey,
        private readonly string $apiId,
        private readonly string $username,
        #[SensitiveParameter]
        private readonly string $password,
        private readonly int $timeoutMs = 30_000,
        private readonly int $retriesMax = 2,
    ) {
    }

    // npm run clients: begin operations
    /**
     * Start a collect, once for each Idempotency-Key.
     *
     * @param PaymentRequest $body
     * @return InitiationResponse
     */
    public function createCollect(array $body, ?string $idempotencyKey = null): array
    {
        return $this->call('POST', '/api/v2/collects', true, body: $body, idempotencyKey: $idempotencyKey ?? self::newKey());
    }

    /**
     * Start a deposit, once for each Idempotency-Key.
     *
     * @param PaymentRequest $body
     * @return InitiationResponse
     */
    public function createDeposit(array $body, ?string $idempotencyKey = null): array
    {
        return $this->call('POST', '/api/v2/deposits', true, body: $body, idempotencyKey: $idempotencyKey ?? self::newKey());
    }

    /**
     * List all batches with a cursor.
     *
     * @return BatchList
     */
    public function listBatches(?int $limit = null, ?string $cursor = null): array
    {
        return $this->call('GET', '/api/v2/batches', true, query: ['limit' => $limit, 'cursor' => $cursor]);
    }

    /**
     * Send up to 10,000 deposits, once for each Idempotency-Key.
     *
     * @param BatchRequest $body
     * @return Batch
     */
    public function createBatch(array $body, ?string $idempotencyKey = null): array
    {
        return $this->call('POST', '/api/v2/batches', true, body: $body, idempotencyKey: $idempotencyKey ?? self::newKey());
    }

    /**
     * Read how far a batch is, and its deposits with a cursor.
     *
     * @return BatchPage
     */
    public function getBatch(string $batchId, ?int $limit = null, ?string $cursor = null): array
    {
        return $this->call('GET', '/api/v2/batches/' . rawurlencode($batchId), true, query: ['limit' => $limit, 'cursor' => $cursor]);
    }

    /**
     * Cancel the deposits of a batch that were not sent yet.
     *
     * @return Batch
     */
    public function cancelBatch(string $batchId): array
    {
        return $this->call('POST', '/api/v2/batches/' . rawurlencode($batchId) . '/cancel', false);
    }

    /**
     * List all transactions with a cursor, or find one by its externalId.
     *
     * @return TransactionList
     */
    public function listTransactions(?int $limit = null, ?string $cursor = null, ?string $externalId = null): array
    {
        return $this->call('GET', '/api/v2/transactions', true, query: ['limit' => $limit, 'cursor' => $cursor, 'externalId' => $externalId]);
    }

    /**
     * Cancel a transaction that was not sent yet.
     *
     * @return TransactionRecord
     */
    public function cancelTransaction(string $transactionId): array
    {
        return $this->call('POST', '/api/v2/transactions/' . rawurlencode($transactionId) . '/cancel', false);
    }

    /**
     * List the refunds of a collect.
     *
     * @return RefundList
     */
    public function listRefunds(string $transactionId): array
    {
        return $this->call('GET', '/api/v2/transactions/' . rawurlencode($transactionId) . '/refunds', true);
    }

    /**
     * Refund a collect, whole or in parts.
     *
     * @param RefundRequest $body
     * @return Transaction
     */
    public function refundCollect(string $transactionId, array $body): array
    {
        return $this->call('POST', '/api/v2/transactions/' . rawurlencode($transactionId) . '/refunds', true, body: $body);
    }

    /**
     * List the operators with their availability and limits.
     *
     * @return list<OperatorStatus>
     */
    public function listOperators(): array
    {
        return $this->call('GET', '/api/v2/operators', true);
    }

    /**
     * Check the account of a phone number.
     *
     * @param AccountCheckRequest $body
     * @return AccountCheck
     */
    public function checkAccount(array $body): array
    {
        return $this->call('POST', '/api/v2/account-checks', false, body: $body);
    }

    /**
     * List the signed days.
     *
     * @param 'OMCM'|'MOMOCM-collect'|'MOMOCM-deposit'|'CIWAVE'|'CIOM'|'SNWAVE'|'SNOM-collect'|'SNOM-deposit'|'SNFREE'|'BFOM'|'MLMOOV'|'BJMTN-collect'|'BJMTN-deposit'|'BJMOOV'|'UGMTN-collect'|'UGMTN-deposit'|'UGAIRTEL-collect'|'UGAIRTEL-deposit'|null $wallet
     * @return list<SettledDay>
     */
    public function listSettlementReports(string $from, string $to, ?string $wallet = null): array
    {
        return $this->call('GET', '/api/v2/settlement-reports', true, query: ['from' => $from, 'to' => $to, 'wallet' => $wallet]);
    }

    /**
     * Read one settlement report.
     *
     * @return SettlementReport
     */
    public function getSettlementReport(string $wallet, string $day, ?int $page = null, ?int $size = null): array
    {
        return $this->call('GET', '/api/v2/settlement-reports/' . rawurlencode($wallet) . '/' . rawurlencode($day), true, query: ['page' => $page, 'size' => $size]);
    }
    // npm run clients: end operations

    /**
     * Returns true if a webhook was signed with the secret within five minutes of now. Throws without a secret: anybody can sign with an empty one.
     *
     * @param array<string, string> $headers As received, with names in lower case.
     * @param string $body file_get_contents('php://input')
     */
    public static function isGenuineWebhook(array $headers, string $body, string $secret, ?int $nowS = null): bool
    {
        $key = base64_decode(preg_replace('/^whsec_/', '', $secret));
        if ($key === '') {
            throw new InvalidArgumentException('The secret of the webhooks is missing.');
        }
        $id = $headers['webhook-id'] ?? '';
        $timestamp = $headers['webhook-timestamp'] ?? '';
        if (preg_match('/^\d+$/D', $timestamp) !== 1 || abs(($nowS ?? time()) - (int) $timestamp) > self::TOLERANCE_S) {
            return false;
        }
        $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
        foreach (explode(' ', $headers['webhook-signature'] ?? '') as $signature) {
            if (hash_equals($expected, $signature)) {
                return true;
            }
        }
        return false;
    }

    /** Sends a call with the three credentials. A token that has ended is renewed once. */
    private function call(
        string $method,
        string $path,
        bool $isRepeatable,
        array $query = [],
        ?array $body = null,
        ?string $idempotencyKey = null,
    ): array {
        $this->token ??= $this->signIn();
        $answer = $this->repeat($method, $path, $isRepeatable, $query, $body, $idempotencyKey, $this->token);
        if ($answer['status'] === 401) {
            $this->token = null;
            $this->token = $this->signIn();
            $answer = $this->repeat($method, $path, $isRepeatable, $query, $body, $idempotencyKey, $this->token);
        }
        return self::read($answer, $idempotencyKey);
    }

    private function signIn(): string
    {
        $user = ['username' => $this->username, 'password' => $this->password];
        return self::read($this->repeat('POST', '/public/access_token', true, [], $user, null, null), null)['access_token'];
    }

    /** Sends a request, and again after a 429 or 503 while it may be repeated and the service says when. */
    private function repeat(
        string $method,
        string $path,
        bool $isRepeatable,
        array $query,
        ?array $body,
        ?string $idempotencyKey,
        ?string $token,
    ): array {
        for ($retries = 0; ; $retries++) {
            $answer = $this->send($method, $path, $query, $body, $idempotencyKey, $token);
            $waitS = $answer['retryAfterS'];
            if (!in_array($answer['status'], [429, 503], true) || !$isRepeatable || $retries >= $this->retriesMax) {
                return $answer;
            }
            if ($waitS === null || $waitS > self::RETRY_AFTER_S_MAX) {
                return $answer;
            }
            sleep($waitS);
        }
    }

    /** @return array{status: int, retryAfterS: ?int, json: mixed} */
    private function send(string $method, string $path, array $query, ?array $body, ?string $idempotencyKey, ?string $token): array
    {
        $query = array_filter($query, static fn ($value) => $value !== null);
        $headers = array_merge(
            $token === null ? [] : ["apiKey: $this->apiKey", "apiId: $this->apiId", "Authorization: Bearer $token"],
            $idempotencyKey === null ? [] : ["Idempotency-Key: $idempotencyKey"],
            $body === null ? [] : ['Content-Type: application/json'],
        );
        $retryAfterS = null;
        // Redirects are not followed: the credentials go to the service only.
        $curl = curl_init(rtrim($this->baseUrl, '/') . $path . ($query === [] ? '' : '?' . http_build_query($query)));
        curl_setopt_array($curl, [
            CURLOPT_CUSTOMREQUEST => $method,
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_TIMEOUT_MS => $this->timeoutMs,
            CURLOPT_HTTPHEADER => $headers,
            CURLOPT_HEADERFUNCTION => static function ($curl, string $line) use (&$retryAfterS): int {
                if (preg_match('/^retry-after:\s*(\d+)\s*$/i', $line, $found) === 1) {
                    $retryAfterS = (int) $found[1];
                }
                return strlen($line);
            },
        ] + ($body === null ? [] : [CURLOPT_POSTFIELDS => json_encode($body, JSON_THROW_ON_ERROR)]));
        $text = curl_exec($curl);
        if ($text === false) {
            throw curl_errno($curl) === CURLE_OPERATION_TIMEDOUT
                ? new CountersignException(0, 'timeout', "No answer within $this->timeoutMs ms.", $idempotencyKey)
                : new CountersignException(0, 'no_connection', "No connection to $this->baseUrl.", $idempotencyKey);
        }
        $status = curl_getinfo($curl, CURLINFO_RESPONSE_CODE);
        return ['status' => $status, 'retryAfterS' => $retryAfterS, 'json' => json_decode($text, true)];
    }

    /** Returns the body of a 200, and throws every other answer. Codes are in the answers of version 2; token calls have none. */
    private static function read(array $answer, ?string $idempotencyKey): array
    {
        ['status' => $status, 'retryAfterS' => $retryAfterS, 'json' => $json] = $answer;
        if ($status === 200 && is_array($json)) {
            return $json;
        }
        if (!is_array($json) || !is_string($json['message'] ?? null)) {
            $message = "The answer with status $status is not one of the service.";
            throw new CountersignException($status, 'unreadable_answer', $message, $idempotencyKey, $retryAfterS);
        }
        throw new CountersignException($status, $json['code'] ?? "status_$status", $json['message'], $idempotencyKey, $retryAfterS);
    }

    /** Returns a new UUID version 4. */
    private static function newKey(): string
    {
        $bytes = random_bytes(16);
        $bytes[6] = chr(ord($bytes[6]) & 0x0f | 0x40);
        $bytes[8] = chr(ord($bytes[8]) & 0x3f | 0x80);
        return vsprintf('%s%s-%s-%s-%s-%s%s%s', str_split(bin2hex($bytes), 4));
    }
}
