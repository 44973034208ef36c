import { CANCELLED_MESSAGE } from '#lib/payments/transactions/transaction-status.ts'
import { synchroniseQuerySchema } from '#lib/schemas/queries.ts'
import { CANCEL_PATH, refuseCancellation } from '#server/http/endpoints/v2/cancel.ts'
import { ANY_LIMITED_CALLER, anyRequest, cause, UNKNOWN_TRANSACTION } from '../error-causes.ts'
import { DEPOSIT_ID, exampleRecord, PURPOSE } from '../examples.ts'
import { type Operation, ref } from '../operation.ts'

export const CANCEL_OPERATIONS: Operation[] = [
  {
    path: CANCEL_PATH,
    method: 'post',
    id: 'cancelTransaction',
    tag: 'Transactions',
    summary: 'Cancel a transaction that was not sent yet',
    description:
      'Ends a transaction that your program started and that no operator has received: one that waits for a checker, for an operator that is closed, or ' +
      `for float. It becomes FAILED with the message "${CANCELLED_MESSAGE}", the amount on hold is released, and the webhook is sent.\n\n` +
      'What may have reached the operator cannot be cancelled: its result decides. Repeat the request after a timeout: a transaction that it cancelled ' +
      'before is returned as it is.',
    segments: { schema: synchroniseQuerySchema, examples: { transactionId: DEPOSIT_ID } },
    answer: {
      schema: ref('TransactionRecord'),
      description: 'The cancelled transaction.',
      examples: {
        cancelled: {
          summary: 'Cancelled',
          value: { ...exampleRecord('DEPOSIT', 'FAILED'), purpose: PURPOSE },
        },
      },
    },
    causes: [
      UNKNOWN_TRANSACTION,
      cause(
        'not_started_by_program',
        refuseCancellation('not_started_by_program'),
        'A person started the transaction in the back office, or with a file',
        'Its maker recalls it in the back office.',
      ),
      cause(
        'final',
        refuseCancellation('final'),
        'The transaction is SUCCESS or FAILED',
        'Read its status. Send a collect back with a deposit.',
      ),
      cause(
        'already_sent',
        refuseCancellation('already_sent'),
        'The operator has the transaction, or is about to receive it',
        'Wait for the webhook, or query the operator with chekTransactionStatus.',
      ),
      ...ANY_LIMITED_CALLER,
      ...anyRequest('POST'),
    ],
  },
]
