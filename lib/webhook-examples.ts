/** How a receiver verifies a webhook, in four languages. webhook-examples.test.ts runs them. */
export const WEBHOOK_EXAMPLES = [
  {
    language: 'TypeScript',
    text: `import { createHmac, timingSafeEqual } from 'node:crypto'

/** \`body\`: the bytes as they arrived, before any JSON is parsed. */
function isValidWebhook(headers: Record<string, string | undefined>, body: string, secret: string): boolean {
  const id = headers['webhook-id'] ?? ''
  const timestamp = headers['webhook-timestamp'] ?? ''
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= 300)) return false
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  const expected = createHmac('sha256', key).update(\`\${id}.\${timestamp}.\${body}\`).digest()
  return (headers['webhook-signature'] ?? '').split(' ').some((signature) => {
    const sent = Buffer.from(signature.replace('v1,', ''), 'base64')
    return sent.length === expected.length && timingSafeEqual(sent, expected)
  })
}
`,
  },
  {
    language: 'Python',
    text: `import base64, hashlib, hmac, time


def is_valid_webhook(headers: dict, body: bytes, secret: str) -> bool:
    """headers: names in lower case. body: the bytes as they arrived, before any JSON is parsed."""
    webhook_id = headers.get("webhook-id", "")
    timestamp = headers.get("webhook-timestamp", "")
    if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > 300:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{webhook_id}.{timestamp}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    signatures = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(expected.encode(), each.encode()) for each in signatures)
`,
  },
  {
    language: 'PHP',
    text: `<?php
/** $headers: names in lower case. $body: file_get_contents('php://input'), before any JSON is parsed. */
function isValidWebhook(array $headers, string $body, string $secret): bool
{
    $id = $headers['webhook-id'] ?? '';
    $timestamp = $headers['webhook-timestamp'] ?? '';
    if (!ctype_digit($timestamp) || abs(time() - (int) $timestamp) > 300) {
        return false;
    }
    $key = base64_decode(str_replace('whsec_', '', $secret));
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
    foreach (explode(' ', $headers['webhook-signature'] ?? '') as $signature) {
        if (hash_equals($expected, $signature)) {
            return true;
        }
    }
    return false;
}
`,
  },
  {
    language: 'curl, OpenSSL',
    text: `# body.json: the body exactly as it arrived. The other values are headers of the request.
id=$WEBHOOK_ID
timestamp=$WEBHOOK_TIMESTAMP
signatures=$WEBHOOK_SIGNATURE
key=$(printf '%s' "\${WEBHOOK_SECRET#whsec_}" | base64 -d | od -An -v -tx1 | tr -d ' \\n')
expected=$( { printf '%s.%s.' "$id" "$timestamp"; cat body.json; } |
  openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | base64)
age=$(( $(date +%s) - timestamp ))
case " $signatures " in
  *" v1,$expected "*) [ "\${age#-}" -le 300 ] && echo valid || echo "too old" ;;
  *) echo "not valid" ;;
esac
`,
  },
] as const
