import { FAILURE_MESSAGES } from '#lib/payments/transactions/transaction-status.ts'
import { COLLECT_ID, exampleWebhook } from './examples.ts'
import { type Json, ref } from './operation.ts'

const DESCRIPTION =
  'Sent as a POST to the webhookUrl of a transaction when it reaches SUCCESS or FAILED.\n\n' +
  'Only status 200 within 5 seconds counts as received: 201, 204 and redirects are failures. Up to four attempts are made: immediately, ' +
  '30 s after the first failed, 2 min after the second and 10 min after the third. All attempts have the same body and the same webhook-id. ' +
  'After the last one, call chekTransactionStatus.\n\n' +
  'The headers webhook-id, webhook-timestamp and webhook-signature follow Standard Webhooks. Verify the signature, or read transaction-status, before you act.'

const HEADERS: { name: string; description: string; isRequired: boolean; example: string }[] = [
  {
    name: 'webhook-id',
    description: 'Identifies the delivery, and is the same in every attempt: msg_ and the transactionId.',
    isRequired: true,
    example: `msg_${COLLECT_ID}`,
  },
  {
    name: 'webhook-timestamp',
    description: 'When this attempt was signed, in seconds since 1970.',
    isRequired: true,
    example: '1772442847',
  },
  {
    name: 'webhook-signature',
    description:
      'One signature for each valid secret, separated by spaces: v1, a comma, and the base64 of an HMAC-SHA256 of id.timestamp.body. Absent if the application has no secret.',
    isRequired: false,
    example: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  },
]

/** The one event, as an entry of `webhooks`. */
export function describeWebhook(): Json {
  const examples = {
    success: { summary: 'Succeeded', value: exampleWebhook('SUCCESS') },
    failed: { summary: 'Failed', value: exampleWebhook('FAILED', FAILURE_MESSAGES.insufficientFunds) },
  }
  return {
    post: {
      operationId: 'transactionResult',
      tags: ['Webhooks'],
      summary: 'The result of a transaction',
      description: DESCRIPTION,
      security: [],
      parameters: HEADERS.map(({ name, description, isRequired, example }) => ({
        name,
        in: 'header',
        description,
        required: isRequired,
        schema: { type: 'string' },
        example,
      })),
      requestBody: {
        description: 'The result.',
        required: true,
        content: { 'application/json': { schema: ref('TransactionResult'), examples } },
      },
      responses: {
        '200': { description: 'You have received it. The body is ignored.' },
        '2XX': { description: 'Not received: only 200 counts. Another attempt follows.' },
        '3XX': { description: 'Not received: redirects are never followed. Another attempt follows.' },
        '4XX': { description: 'Not received. Another attempt follows.' },
        '5XX': { description: 'Not received. Another attempt follows.' },
      },
    },
  }
}
