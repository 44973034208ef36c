import type { Samples } from '#lib/partner/reference.ts'

// How a receiver verifies the signature of a webhook; the reference and the page about signing show it.

const CURL = `# WEBHOOK_ID, WEBHOOK_TIMESTAMP and WEBHOOK_SIGNATURE: the headers. body.json: the body, byte for byte.
key=$(printf %s "\${WEBHOOK_SECRET#whsec_}" | base64 -d | od -An -v -tx1 | tr -d ' \\n')
[ -n "$key" ] || { echo "WEBHOOK_SECRET is missing" >&2; exit 1; }
expected=$({ printf '%s.%s.' "$WEBHOOK_ID" "$WEBHOOK_TIMESTAMP"; cat body.json; } |
  openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | base64)
age=$(( $(date +%s) - WEBHOOK_TIMESTAMP ))
case " $WEBHOOK_SIGNATURE " in
  *" v1,$expected "*) [ "\${age#-}" -le 300 ] && echo genuine || echo "too old" ;;
  *) echo "not genuine" ;;
esac`

const TYPESCRIPT = `import { createHmac, timingSafeEqual } from 'node:crypto'

/** headers: as received, with names in lower case. body: the text as received, before any JSON parser. */
function isGenuine(headers: Record<string, string | undefined>, body: string): boolean {
  const { 'webhook-id': id = '', 'webhook-timestamp': timestamp = '', 'webhook-signature': signatures = '' } = headers
  const ageSeconds = Math.abs(Date.now() / 1000 - Number(timestamp))
  if (!(ageSeconds <= 300)) return false
  const key = Buffer.from((process.env.WEBHOOK_SECRET ?? '').replace('whsec_', ''), 'base64')
  if (key.length === 0) throw new Error('WEBHOOK_SECRET is missing')
  const expected = createHmac('sha256', key).update(\`\${id}.\${timestamp}.\${body}\`).digest()
  return signatures.split(' ').some((signature) => {
    const sent = Buffer.from(signature.replace('v1,', ''), 'base64')
    return sent.length === expected.length && timingSafeEqual(sent, expected)
  })
}`

const PYTHON = `import base64
import hashlib
import hmac
import os
import time


def is_genuine(headers, body):
    """headers: as received, with names in lower case. body: the bytes as received."""
    timestamp = headers.get("webhook-timestamp", "")
    if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > 300:
        return False
    key = base64.b64decode(os.environ.get("WEBHOOK_SECRET", "").removeprefix("whsec_"))
    if not key:
        raise ValueError("WEBHOOK_SECRET is missing")
    signed = f"{headers.get('webhook-id', '')}.{timestamp}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    signatures = headers.get("webhook-signature", "").encode().split(b" ")
    return any(hmac.compare_digest(expected, signature) for signature in signatures)`

const PHP = `<?php
/** $headers: as received, with names in lower case. $body: file_get_contents('php://input'). */
function isGenuine(array $headers, string $body): bool
{
    $id = $headers['webhook-id'] ?? '';
    $timestamp = $headers['webhook-timestamp'] ?? '';
    if (!ctype_digit($timestamp) || abs(time() - (int) $timestamp) > 300) {
        return false;
    }
    $key = base64_decode(preg_replace('/^whsec_/', '', (string) getenv('WEBHOOK_SECRET')));
    if ($key === '') {
        throw new RuntimeException('WEBHOOK_SECRET is missing');
    }
    $signed = $id . '.' . $timestamp . '.' . $body;
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', $signed, $key, true));
    foreach (explode(' ', $headers['webhook-signature'] ?? '') as $signature) {
        if (hash_equals($expected, $signature)) {
            return true;
        }
    }
    return false;
}`

export const VERIFY_WEBHOOK: Samples = { curl: CURL, typescript: TYPESCRIPT, python: PYTHON, php: PHP }
