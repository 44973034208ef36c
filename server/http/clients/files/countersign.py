"""Client of the Countersign API, version 2. Python 3.9 and later, standard library only.

Types and operations are made from the OpenAPI document, /api/v2/openapi.json.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import socket
import threading
import time
import uuid
from email.message import Message
from http.client import HTTPException
from typing import Any, Dict, List, Literal, Mapping, NamedTuple, Optional, TypedDict, Union, cast
from urllib.error import HTTPError
from urllib.parse import quote, urlencode
from urllib.request import HTTPRedirectHandler, Request, build_opener

# npm run clients: begin types
# The operator code. It names one operator in one country.
TransferMethod = Literal["OMCM", "MOMOCM", "CIWAVE", "CIOM", "SNWAVE", "SNOM", "SNFREE", "BFOM", "MLMOOV", "BJMTN", "BJMOOV", "UGMTN", "UGAIRTEL"]


# The country of transferMethod, in capitals.
CountryName = Literal["CAMEROON", "IVORY_COAST", "SENEGAL", "BURKINA_FASO", "MALI", "BENIN", "UGANDA"]


# PENDING for a new transaction, or PENDING_APPROVAL if an approval rule applies to it. A repeated request returns the current status.
TransactionStatus = Literal["PENDING", "PENDING_APPROVAL", "SUCCESS", "FAILED"]


# COLLECT or DEPOSIT.
TransactionType = Literal["COLLECT", "DEPOSIT"]


# The currency of its amounts.
Currency = Literal["XAF", "XOF", "UGX"]



class _PaymentRequest(TypedDict):
    """The required fields of PaymentRequest."""

    # The operator code. It names one operator in one country
    transferMethod: TransferMethod
    # The full name of the customer or beneficiary, in any script
    customerName: str
    # In international format without +. It starts with the dial code of the country
    phoneNumber: str
    # A JSON number, not a text, with at most two decimals, in the currency of the country
    amount: float
    # An absolute http or https address, which receives the result as a webhook
    webhookUrl: str
    # The country of transferMethod, in capitals
    countryName: CountryName



class PaymentRequest(_PaymentRequest, total=False):
    """A collect or a deposit, without its externalId. Unknown fields are ignored."""

    # May be absent: Idempotency-Key is the externalId. If it is there, it has to be the same
    externalId: str
    # The reason of the payment, or the number of an invoice
    purpose: str



class InitiationResponse(TypedDict):
    """A transaction that was started, or that had been started with the same key before."""

    # Identifies the transaction in all later calls and in its webhook
    transactionId: str
    # Your identifier of the transaction, in lower case
    externalId: str
    # The operator code of the request
    transferMethod: TransferMethod
    # As you sent it
    customerName: str
    # The phone number as you sent it
    customerPhone: str
    # The operator's token for the payment, or one that the service made when the transaction was created. For a collect it names the page for the customer, /pay/{payToken} on this host. Send it to customers of Wave and of Orange in Ivory Coast, who pay by a link, and of Orange in Burkina Faso and Senegal, who enter a code there
    payToken: str
    # As you sent it, in the currency of the country
    amount: float
    # The fee that the service keeps
    feesSystem: float
    # The fee that the application's owner keeps
    feesApp: float
    # PENDING for a new transaction, or PENDING_APPROVAL if an approval rule applies to it. A repeated request returns the current status
    transactionStatus: TransactionStatus
    # The reason of the payment, or the number of an invoice; empty if it was left out
    purpose: str



class _BatchRequest(TypedDict):
    """The required fields of BatchRequest."""

    # 1 to 10000 deposits, each with an externalId of its own
    deposits: List[BatchDeposit]



class BatchRequest(_BatchRequest, total=False):
    """A batch of deposits. Unknown fields are ignored."""

    # Its name for people in the back office. If it is absent, its Idempotency-Key
    name: str
    # An absolute http or https address, which receives the result of each deposit as a webhook. If it is absent, that of the application
    webhookUrl: str



class _BatchDeposit(TypedDict):
    """The required fields of BatchDeposit."""

    # The operator code. It names one operator in one country
    transferMethod: TransferMethod
    # The full name of the customer or beneficiary, in any script
    customerName: str
    # Your identifier of the transaction, a UUID version 4. Use a new one for each transaction and the same one to repeat a request. Stored and returned in lower case
    externalId: str
    # In international format without +. It starts with the dial code of the country
    phoneNumber: str
    # A JSON number, not a text, with at most two decimals, in the currency of the country
    amount: float
    # The country of transferMethod, in capitals
    countryName: CountryName



class BatchDeposit(_BatchDeposit, total=False):
    """A deposit of a batch. Unknown fields are ignored."""

    # The reason of the payment, or the number of an invoice
    purpose: str



class BatchCounts(TypedDict):
    """How many deposits are in each status. The batch is finished when QUEUED, PENDING_APPROVAL and PENDING are 0."""

    # How many are not started yet
    QUEUED: int
    # How many are not started: the row has the code of the reason
    REFUSED: int
    # How many are started, without a result
    PENDING: int
    # How many are waiting for checkers
    PENDING_APPROVAL: int
    # How many are paid
    SUCCESS: int
    # How many are not paid
    FAILED: int



class Batch(TypedDict):
    """A batch of deposits, and how far it is."""

    # Identifies the batch in later calls and in the back office
    batchId: str
    # The Idempotency-Key that made it
    idempotencyKey: str
    # Its name for people in the back office
    name: str
    # Receives the result of each deposit
    webhookUrl: str
    # How many deposits it has
    depositCount: int
    # When it was accepted, ISO 8601 in UTC
    createdAt: str
    # How many deposits are in each status. The batch is finished when QUEUED, PENDING_APPROVAL and PENDING are 0
    counts: BatchCounts



class BatchPage(TypedDict):
    """A batch with a part of its deposits."""

    # Identifies the batch in later calls and in the back office
    batchId: str
    # The Idempotency-Key that made it
    idempotencyKey: str
    # Its name for people in the back office
    name: str
    # Receives the result of each deposit
    webhookUrl: str
    # How many deposits it has
    depositCount: int
    # When it was accepted, ISO 8601 in UTC
    createdAt: str
    # How many deposits are in each status. The batch is finished when QUEUED, PENDING_APPROVAL and PENDING are 0
    counts: BatchCounts
    # A part of its deposits, in the order of the request
    deposits: List[BatchRow]
    # The cursor of the next deposits; null behind the last one
    nextCursor: Optional[str]



class BatchRow(TypedDict):
    """A deposit of a batch, and what became of it."""

    # Its place in the request, from 0
    index: int
    # Your own id of it
    externalId: str
    # Where it is. REFUSED, SUCCESS and FAILED are final
    status: Literal["QUEUED", "REFUSED", "PENDING", "PENDING_APPROVAL", "SUCCESS", "FAILED"]
    # Identifies its transaction in other calls; null while it has none
    transactionId: Optional[str]
    # Why it was refused, for programs; null for all others. New codes may be added
    code: Optional[str]
    # Why it was refused or failed, or that it succeeded, for people; null before
    message: Optional[str]
    # The operator code. It names one operator in one country
    transferMethod: TransferMethod
    # The phone number as you sent it
    phoneNumber: str
    # The amount, without fees
    amount: float



class ListedBatch(TypedDict):
    """A batch, without its deposits."""

    # Identifies the batch in later calls and in the back office
    batchId: str
    # The Idempotency-Key that made it
    idempotencyKey: str
    # Its name for people in the back office
    name: str
    # Receives the result of each deposit
    webhookUrl: str
    # How many deposits it has
    depositCount: int
    # When it was accepted, ISO 8601 in UTC
    createdAt: str



class BatchList(TypedDict):
    """A part of the list of all batches that programs made."""

    # The batches, newest first
    batches: List[ListedBatch]
    # The cursor of the next page; null on the last one
    nextCursor: Optional[str]



class TransactionList(TypedDict):
    """A part of the list of all transactions."""

    # The transactions, newest first
    transactions: List[Transaction]
    # The cursor of the next page; null on the last one
    nextCursor: Optional[str]



class Transaction(TypedDict):
    """A transaction with all that is stored of it for your program."""

    # The transactionId of the response that started it
    transactionId: str
    # Your own id of it
    externalId: str
    # COLLECT or DEPOSIT
    transactionType: TransactionType
    # The stored status. SUCCESS and FAILED are final
    status: TransactionStatus
    # The text of the result, for people: why it failed, or that it succeeded; null before
    message: Optional[str]
    # The operator code
    transferMethod: TransferMethod
    # The country of the operator
    countryName: CountryName
    # The currency of its amounts
    currency: Currency
    # The amount, without fees
    amount: float
    # The fee of the service
    feesSystem: float
    # The fee of the application
    feesApp: float
    # The phone number of the customer or beneficiary, without +
    phoneNumber: str
    # The name of the customer or beneficiary
    customerName: str
    # The reason of the payment, or the number of an invoice; empty if it was left out
    purpose: str
    # The operator’s own id of the payment; null where it has none yet
    operatorReference: Optional[str]
    # The transactionId of the collect that this deposit refunds; null for all others
    refundOf: Optional[str]
    # How much of this collect is refunded or being refunded: its refunds without those that FAILED; 0 for a deposit
    refundedAmount: float
    # When it was accepted, ISO 8601 in UTC
    createdAt: str
    # When it became final; null before
    completedAt: Optional[str]



class _RefundRequest(TypedDict):
    """The required fields of RefundRequest."""

    # Your identifier of the transaction, a UUID version 4. Use a new one for each transaction and the same one to repeat a request. Stored and returned in lower case
    externalId: str



class RefundRequest(_RefundRequest, total=False):
    """A refund of a collect. Unknown fields are ignored."""

    # How much of the collect to refund. If it is absent, all that is left of it
    amount: float
    # An absolute http or https address, which receives the result as a webhook. If it is absent, that of the collect
    webhookUrl: str



class RefundList(TypedDict):
    """The refunds of a collect."""

    # The refunds of the collect, the oldest first; FAILED ones too
    refunds: List[Transaction]
    # How much of the collect is refunded or being refunded
    refundedAmount: float
    # How much of the collect can still be refunded
    remainingAmount: float



class TransactionRecord(TypedDict):
    """A transaction as it is stored."""

    # The transactionId
    id: str
    # Your identifier of the transaction, in lower case
    externalId: str
    # The amount of the transaction, without fees, in the currency of the country
    amount: float
    # The fee that the service keeps
    feesSystem: float
    # The fee that the application's owner keeps
    feesApp: float
    # The phone number of the customer or beneficiary, without +
    phoneReceiver: str
    # The name of the customer or beneficiary
    receiverName: str
    # The stored status. SUCCESS and FAILED are final
    status: TransactionStatus
    # The operator code of the request
    transferMethod: TransferMethod
    # COLLECT for a collect, DEPOSIT for a deposit
    transactionType: TransactionType
    # The country of the operator
    countryName: CountryName
    # The operator's token for the payment, or one that the service made when the transaction was created. For a collect it names the page for the customer, /pay/{payToken} on this host. Send it to customers of Wave and of Orange in Ivory Coast, who pay by a link, and of Orange in Burkina Faso and Senegal, who enter a code there
    payToken: str
    # The reason of the payment, or the number of an invoice; empty if it was left out
    purpose: str



class OperatorStatusCollect(TypedDict):
    """Collects from customers."""

    # OPERATIONAL: sent at once. DELAYED: sent, more slowly. CLOSED: accepted, and sent once the operator answers again. SHORT: accepted, and sent once the account for payouts is topped up. DISABLED: refused with 403, switched off for your application. NOT_IN_SERVICE: refused with 403, for every application
    state: Literal["OPERATIONAL", "DELAYED", "CLOSED", "SHORT", "DISABLED", "NOT_IN_SERVICE"]
    # Since when it is DELAYED, CLOSED or SHORT, ISO 8601 in UTC; otherwise null
    since: Optional[str]
    # The smallest amount of one transaction
    minimumAmount: float
    # The largest amount of one transaction
    maximumAmount: float
    # Amounts must be a multiple of it; null: every amount between the two is possible
    amountMultiple: Optional[float]
    # true: other amounts are refused with 400. false: they are accepted, and the operator may refuse them
    enforcesLimits: bool



class OperatorStatusDeposit(TypedDict):
    """Deposits to beneficiaries."""

    # OPERATIONAL: sent at once. DELAYED: sent, more slowly. CLOSED: accepted, and sent once the operator answers again. SHORT: accepted, and sent once the account for payouts is topped up. DISABLED: refused with 403, switched off for your application. NOT_IN_SERVICE: refused with 403, for every application
    state: Literal["OPERATIONAL", "DELAYED", "CLOSED", "SHORT", "DISABLED", "NOT_IN_SERVICE"]
    # Since when it is DELAYED, CLOSED or SHORT, ISO 8601 in UTC; otherwise null
    since: Optional[str]
    # The smallest amount of one transaction
    minimumAmount: float
    # The largest amount of one transaction
    maximumAmount: float
    # Amounts must be a multiple of it; null: every amount between the two is possible
    amountMultiple: Optional[float]
    # true: other amounts are refused with 400. false: they are accepted, and the operator may refuse them
    enforcesLimits: bool



class OperatorStatus(TypedDict):
    """The calls that an operator takes now."""

    # The operator code
    transferMethod: TransferMethod
    # The name that customers know
    brand: str
    # The country
    countryName: CountryName
    # The currency of all its amounts
    currency: Currency
    # Collects from customers
    collect: OperatorStatusCollect
    # Deposits to beneficiaries
    deposit: OperatorStatusDeposit



class AccountCheckRequest(TypedDict):
    """The account to check. Unknown fields are ignored."""

    # The operator code. It names one operator in one country
    transferMethod: TransferMethod
    # In international format without +. It starts with the dial code of the country
    phoneNumber: str



class AccountCheck(TypedDict):
    """The answer of an operator about the account of a phone number."""

    # The operator code
    transferMethod: TransferMethod
    # The number as you sent it
    phoneNumber: str
    # ACTIVE: the account exists and can take part. NOT_REGISTERED: the operator has no account with this number. BARRED: it has blocked the account. UNKNOWN: it did not answer, or not clearly; this says nothing about the account. NOT_OFFERED: this operator has no such check
    status: Literal["ACTIVE", "NOT_REGISTERED", "BARRED", "UNKNOWN", "NOT_OFFERED"]
    # The first word of the name under which the operator has registered the account, and initials; null where it names nobody
    holderName: Optional[str]
    # When the operator was asked, ISO 8601 in UTC; null for NOT_OFFERED
    checkedAt: Optional[str]



class SettledDay(TypedDict):
    """A day of an account that two people have signed."""

    # The account at the operator: the operator code, with -collect or -deposit where the operator has two accounts
    wallet: str
    # The operator code
    operator: TransferMethod
    # Which of your balances the account holds
    account: Literal["collect", "deposit", "both"]
    # The currency of all amounts
    currency: Currency
    # The day of the operator, in its own time zone
    day: str
    # When the day begins, ISO 8601 in UTC
    startsAt: str
    # When the day ends; this instant belongs to the next one
    endsAt: str
    # Counts from 1. A day that was reopened is signed again with the next version
    version: int
    # to_be_signed_again: an earlier day was reopened. The report is unchanged and will be signed again
    state: Literal["signed", "to_be_signed_again"]
    # When two people had signed the day
    signedAt: str
    # SHA-256 of the certificate of the day, hexadecimal. The report of a version never has another one
    certificateHash: str


# .
SettlementReportTransactionsItem = TypedDict(
    "SettlementReportTransactionsItem",
    {
        # The transactionId of the response that started the transaction
        "transactionId": str,
        # Your own id of the transaction
        "externalId": str,
        # COLLECT or DEPOSIT
        "transactionType": TransactionType,
        # The operator’s own id of the payment; null where it has none
        "operatorReference": Optional[str],
        # The amount that moved at the operator
        "gross": float,
        # The fee of the service
        "feesSystem": float,
        # The fee of the application
        "feesApp": float,
        # The change of your balance: above zero for a collect, below zero for a deposit
        "net": float,
        # When it succeeded
        "completedAt": str,
        # When the statement of the operator has it; null while no line is matched
        "operatorTime": Optional[str],
        # How it compares with the statement; matched: the operator has it on the same day
        "class": Literal["success_failed_there", "success_absent_there", "paid_there", "in_transit", "open", "failed_both", "matched"],
        # The changes that two people made in the books later; the status stays
        "adjustments": List[Literal["reverse", "late", "concede", "fees_out"]],
    },
)



class SettlementReportAdjustmentsItem(TypedDict):
    """."""

    # fund: money was paid in. move: from the collect to the deposit balance. withdraw: to your bank account. late, reverse, concede: about a final transaction
    kind: Literal["fund", "move", "correct", "withdraw", "reverse", "late", "concede", "fees_out"]
    # The transaction, or the change that two people made
    id: str
    # The transaction that it is about; null if it is about none
    transactionId: Optional[str]
    # The change of your balance
    net: float
    # When it was posted
    at: str



class SettlementReport(TypedDict):
    """The changes that a signed day of an account made to the balance of your application."""

    # The account at the operator: the operator code, with -collect or -deposit where the operator has two accounts
    wallet: str
    # The operator code
    operator: TransferMethod
    # Which of your balances the account holds
    account: Literal["collect", "deposit", "both"]
    # The currency of all amounts
    currency: Currency
    # The day of the operator, in its own time zone
    day: str
    # When the day begins, ISO 8601 in UTC
    startsAt: str
    # When the day ends; this instant belongs to the next one
    endsAt: str
    # Counts from 1. A day that was reopened is signed again with the next version
    version: int
    # to_be_signed_again: an earlier day was reopened. The report is unchanged and will be signed again
    state: Literal["signed", "to_be_signed_again"]
    # When two people had signed the day
    signedAt: str
    # SHA-256 of the certificate of the day, hexadecimal. The report of a version never has another one
    certificateHash: str
    # Your balance in the account when the day began, with money that is reserved for deposits in progress
    opening: float
    # The same when the day ended: opening plus transactionsNet plus adjustmentsNet
    closing: float
    # How many transactions the whole day has
    transactionCount: int
    # The sum of net of all transactions of the day, on every page
    transactionsNet: float
    # How many adjustments the day has
    adjustmentCount: int
    # The sum of net of all adjustments
    adjustmentsNet: float
    # The requested page, from 0
    page: int
    # The requested size of a page
    size: int
    # The transactions of this page, in order of completedAt
    transactions: List[SettlementReportTransactionsItem]
    # Everything else that changed your balance; the same on every page
    adjustments: List[SettlementReportAdjustmentsItem]



class _TransactionResult(TypedDict):
    """The required fields of TransactionResult."""

    # Your identifier of the transaction, in lower case
    externalId: str
    # As in the response that started the transaction, byte for byte
    transactionId: str
    # The final status
    status: Literal["SUCCESS", "FAILED"]
    # The amount of the transaction, without fees, in the currency of the country
    amount: float
    # The phone number of the request
    phoneNumber: str
    # The operator code of the request
    transferMethod: TransferMethod
    # Why the transaction failed, or that it went well. In French, as the operators send it
    message: str
    # When the transaction became final, ISO 8601 in UTC. The same in every attempt
    timestamp: str



class TransactionResult(_TransactionResult, total=False):
    """The result of a transaction."""

    # A copy of status, only for applications that request it
    transactionStatus: Literal["SUCCESS", "FAILED"]

# npm run clients: end types

# The longest Retry-After that the client waits for itself, in seconds.
RETRY_AFTER_S_MAX = 60
# How far the clock of the service may be from this one when a webhook is verified, in seconds.
TOLERANCE_S = 300


class CountersignError(Exception):
    """A refusal of the service, or no answer from it.

    status: the HTTP status, or 0 if no answer arrived.
    code: what is wrong, for programs: the code of the answer, or timeout, no_connection or unreadable_answer.
    idempotency_key: the key of the request. After a timeout, repeat the call with it: the payment is made once.
    retry_after_s: how long the service asks to wait before the next attempt, if it says so.
    """

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        idempotency_key: Optional[str] = None,
        retry_after_s: Optional[int] = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.idempotency_key = idempotency_key
        self.retry_after_s = retry_after_s


class _Answer(NamedTuple):
    status: int
    retry_after_s: Optional[int]
    json: Any


class _NoRedirects(HTTPRedirectHandler):
    """The credentials go to the service only."""

    def redirect_request(self, req: Request, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> None:
        return None


class CountersignClient:
    """Calls the service. May be shared by threads.

    base_url: the address of the service, without a path.
    username, password: of an API user.
    timeout_s: how long to wait for a connection, and each time for more of an answer.
    retries_max: how often a request that may be repeated is repeated after a 429 or 503 with Retry-After.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        api_id: str,
        username: str,
        password: str,
        timeout_s: float = 30,
        retries_max: int = 2,
    ) -> None:
        self._base_url = base_url.rstrip("/")
        self._credentials = {"apiKey": api_key, "apiId": api_id}
        self._user = {"username": username, "password": password}
        self._timeout_s = timeout_s
        self._retries_max = retries_max
        self._opener = build_opener(_NoRedirects)
        self._token: Optional[str] = None
        self._lock = threading.Lock()

    # npm run clients: begin operations
    def create_collect(self, body: PaymentRequest, idempotency_key: Optional[str] = None) -> InitiationResponse:
        """Start a collect, once for each Idempotency-Key."""
        return cast(InitiationResponse, self._call("POST", "/api/v2/collects", body=body, key=idempotency_key or str(uuid.uuid4()), is_repeatable=True))

    def create_deposit(self, body: PaymentRequest, idempotency_key: Optional[str] = None) -> InitiationResponse:
        """Start a deposit, once for each Idempotency-Key."""
        return cast(InitiationResponse, self._call("POST", "/api/v2/deposits", body=body, key=idempotency_key or str(uuid.uuid4()), is_repeatable=True))

    def list_batches(self, *, limit: Optional[int] = None, cursor: Optional[str] = None) -> BatchList:
        """List all batches with a cursor."""
        return cast(BatchList, self._call("GET", "/api/v2/batches", query={"limit": limit, "cursor": cursor}, is_repeatable=True))

    def create_batch(self, body: BatchRequest, idempotency_key: Optional[str] = None) -> Batch:
        """Send up to 10,000 deposits, once for each Idempotency-Key."""
        return cast(Batch, self._call("POST", "/api/v2/batches", body=body, key=idempotency_key or str(uuid.uuid4()), is_repeatable=True))

    def get_batch(self, batch_id: str, limit: Optional[int] = None, cursor: Optional[str] = None) -> BatchPage:
        """Read how far a batch is, and its deposits with a cursor."""
        return cast(BatchPage, self._call("GET", f'/api/v2/batches/{quote(batch_id, safe="")}', query={"limit": limit, "cursor": cursor}, is_repeatable=True))

    def cancel_batch(self, batch_id: str) -> Batch:
        """Cancel the deposits of a batch that were not sent yet."""
        return cast(Batch, self._call("POST", f'/api/v2/batches/{quote(batch_id, safe="")}/cancel'))

    def list_transactions(self, *, limit: Optional[int] = None, cursor: Optional[str] = None, external_id: Optional[str] = None) -> TransactionList:
        """List all transactions with a cursor, or find one by its externalId."""
        return cast(TransactionList, self._call("GET", "/api/v2/transactions", query={"limit": limit, "cursor": cursor, "externalId": external_id}, is_repeatable=True))

    def cancel_transaction(self, transaction_id: str) -> TransactionRecord:
        """Cancel a transaction that was not sent yet."""
        return cast(TransactionRecord, self._call("POST", f'/api/v2/transactions/{quote(transaction_id, safe="")}/cancel'))

    def list_refunds(self, transaction_id: str) -> RefundList:
        """List the refunds of a collect."""
        return cast(RefundList, self._call("GET", f'/api/v2/transactions/{quote(transaction_id, safe="")}/refunds', is_repeatable=True))

    def refund_collect(self, transaction_id: str, body: RefundRequest) -> Transaction:
        """Refund a collect, whole or in parts."""
        return cast(Transaction, self._call("POST", f'/api/v2/transactions/{quote(transaction_id, safe="")}/refunds', body=body, is_repeatable=True))

    def list_operators(self) -> List[OperatorStatus]:
        """List the operators with their availability and limits."""
        return cast(List[OperatorStatus], self._call("GET", "/api/v2/operators", is_repeatable=True))

    def check_account(self, body: AccountCheckRequest) -> AccountCheck:
        """Check the account of a phone number."""
        return cast(AccountCheck, self._call("POST", "/api/v2/account-checks", body=body))

    def list_settlement_reports(self, *, from_: str, to: str, wallet: Optional[Literal["OMCM", "MOMOCM-collect", "MOMOCM-deposit", "CIWAVE", "CIOM", "SNWAVE", "SNOM-collect", "SNOM-deposit", "SNFREE", "BFOM", "MLMOOV", "BJMTN-collect", "BJMTN-deposit", "BJMOOV", "UGMTN-collect", "UGMTN-deposit", "UGAIRTEL-collect", "UGAIRTEL-deposit"]] = None) -> List[SettledDay]:
        """List the signed days."""
        return cast(List[SettledDay], self._call("GET", "/api/v2/settlement-reports", query={"from": from_, "to": to, "wallet": wallet}, is_repeatable=True))

    def get_settlement_report(self, wallet: str, day: str, page: Optional[int] = None, size: Optional[int] = None) -> SettlementReport:
        """Read one settlement report."""
        return cast(SettlementReport, self._call("GET", f'/api/v2/settlement-reports/{quote(wallet, safe="")}/{quote(day, safe="")}', query={"page": page, "size": size}, is_repeatable=True))
    # npm run clients: end operations

    def _call(
        self,
        method: str,
        path: str,
        query: Optional[Mapping[str, Any]] = None,
        body: Optional[Mapping[str, Any]] = None,
        key: Optional[str] = None,
        is_repeatable: bool = False,
    ) -> Any:
        """Sends a call with the three credentials. A token that has ended is renewed once."""
        token = self._sign_in()
        answer = self._repeat(method, path, query, body, key, is_repeatable, token)
        if answer.status == 401:
            answer = self._repeat(method, path, query, body, key, is_repeatable, self._sign_in(ended=token))
        return _read_answer(answer, key)

    def _sign_in(self, ended: Optional[str] = None) -> str:
        """Returns the access token. Threads that need one together sign in once."""
        with self._lock:
            if self._token is None or self._token == ended:
                answer = self._repeat("POST", "/public/access_token", None, self._user, None, True, None)
                self._token = cast(str, _read_answer(answer, None)["access_token"])
            return self._token

    def _repeat(
        self,
        method: str,
        path: str,
        query: Optional[Mapping[str, Any]],
        body: Optional[Mapping[str, Any]],
        key: Optional[str],
        is_repeatable: bool,
        token: Optional[str],
    ) -> _Answer:
        """Sends a request, and again after a 429 or 503 while it may be repeated and the service says when."""
        retries = 0
        while True:
            answer = self._send(method, path, query, body, key, token)
            wait_s = answer.retry_after_s
            if answer.status not in (429, 503) or not is_repeatable or retries >= self._retries_max:
                return answer
            if wait_s is None or wait_s > RETRY_AFTER_S_MAX:
                return answer
            time.sleep(wait_s)
            retries += 1

    def _send(
        self,
        method: str,
        path: str,
        query: Optional[Mapping[str, Any]],
        body: Optional[Mapping[str, Any]],
        key: Optional[str],
        token: Optional[str],
    ) -> _Answer:
        parameters = {name: value for name, value in (query or {}).items() if value is not None}
        headers: Dict[str, str] = {}
        if token is not None:
            headers.update(self._credentials, Authorization="Bearer " + token)
        if key is not None:
            headers["Idempotency-Key"] = key
        if body is not None:
            headers["Content-Type"] = "application/json"
        request = Request(
            self._base_url + path + ("?" + urlencode(parameters) if parameters else ""),
            method=method,
            headers=headers,
            data=None if body is None else json.dumps(body).encode(),
        )
        try:
            try:
                with self._opener.open(request, timeout=self._timeout_s) as response:
                    return _answer_of(response.status, response.headers, response.read())
            except HTTPError as refusal:
                with refusal:
                    return _answer_of(refusal.code, refusal.headers, refusal.read())
        except (OSError, HTTPException) as error:
            if isinstance(getattr(error, "reason", error), socket.timeout):
                raise CountersignError(0, "timeout", f"No answer within {self._timeout_s} s.", key) from error
            raise CountersignError(0, "no_connection", f"No connection to {self._base_url}.", key) from error


def is_genuine_webhook(headers: Mapping[str, str], body: bytes, secret: str, now_s: Optional[float] = None) -> bool:
    """Returns True if a webhook was signed with the secret within five minutes of now.

    headers: as received, with names in lower case. body: the bytes as received, before any JSON parser.
    Raises ValueError without a secret: anybody can sign with an empty one.
    """
    key = base64.b64decode(secret.removeprefix("whsec_"))
    if not key:
        raise ValueError("The secret of the webhooks is missing.")
    timestamp = headers.get("webhook-timestamp", "")
    if not re.fullmatch("[0-9]+", timestamp):
        return False
    if abs((time.time() if now_s is None else now_s) - int(timestamp)) > TOLERANCE_S:
        return False
    signed = f"{headers.get('webhook-id', '')}.{timestamp}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    signatures = headers.get("webhook-signature", "").encode().split(b" ")
    return any(hmac.compare_digest(expected, signature) for signature in signatures)


def _answer_of(status: int, headers: Message, body: bytes) -> _Answer:
    retry_after = headers.get("Retry-After", "")
    try:
        value = json.loads(body)
    except ValueError:
        value = None
    return _Answer(status, int(retry_after) if re.fullmatch("[0-9]+", retry_after) else None, value)


def _read_answer(answer: _Answer, key: Optional[str]) -> Any:
    """Returns the body of a 200, and raises every other answer. Codes are in the answers of version 2; token calls have none."""
    if answer.status == 200 and answer.json is not None:
        return answer.json
    told = answer.json if isinstance(answer.json, dict) and isinstance(answer.json.get("message"), str) else None
    if told is None:
        message = f"The answer with status {answer.status} is not one of the service."
        raise CountersignError(answer.status, "unreadable_answer", message, key, answer.retry_after_s)
    code = told.get("code", f"status_{answer.status}")
    raise CountersignError(answer.status, code, told["message"], key, answer.retry_after_s)
