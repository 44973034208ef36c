import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTranslate } from '#lib/i18n/translate.ts'
import { MESSAGES } from '#server/messages.ts'
import { diagnoseWebhook } from './webhook-portal.ts'

const attempt = { outcome: 'bad_status', httpStatus: null, detail: null, durationMs: 20, firstByteMs: null }
const english = createTranslate('en', MESSAGES.en)
const french = createTranslate('fr', MESSAGES.fr)

for (const [changes, expected, expectedFrench] of [
  [{ outcome: 'delivered', httpStatus: 200 }, 'Received.', 'Reçu.'],
  [{ outcome: 'delivered', httpStatus: 200, durationMs: 4_210 }, 'Received, but 4.2 s of 5 s passed', 'Reçu, mais 4.2 s sur 5 s'],
  [{ httpStatus: 204 }, 'Answered 204: only 200 counts', 'A répondu 204 : seul 200 compte'],
  [{ httpStatus: 403 }, 'Answered 403: your server demands a sign-in', 'exige une authentification'],
  [{ httpStatus: 404 }, 'nothing listens at this path', 'rien n’écoute à ce chemin'],
  [{ httpStatus: 410 }, 'Answered 410: nothing listens', 'A répondu 410'],
  [{ httpStatus: 405 }, 'does not accept POST', 'n’accepte pas POST'],
  [{ httpStatus: 429 }, 'limits our requests', 'limite nos requêtes'],
  [{ httpStatus: 400 }, 'Answered 400: your server did not accept', 'A répondu 400'],
  [{ httpStatus: 502 }, 'Answered 502: your server reported an error', 'A répondu 502'],
  [{ outcome: 'redirect', httpStatus: 301 }, 'Answered 301, a redirect', 'une redirection'],
  [{ outcome: 'timeout_dns' }, 'not resolved within 5 s', 'pas été résolu en 5 s'],
  [{ outcome: 'timeout_connect' }, 'No connection within 5 s', 'Pas de connexion en 5 s'],
  [{ outcome: 'timeout_tls' }, 'TLS handshake did not finish', 'La négociation TLS'],
  [{ outcome: 'timeout_headers', durationMs: 5_000 }, '5 s passed without a first byte', 'sans premier octet'],
  [
    { outcome: 'timeout_body', httpStatus: 200, firstByteMs: 4_900 },
    '4.9 s of 5 s passed before the first byte',
    '4.9 s sur 5 s se sont écoulées',
  ],
  [
    { outcome: 'dns_error', detail: 'The host name could not be resolved (ENOTFOUND).' },
    'does not exist in the DNS',
    'n’existe pas dans le DNS',
  ],
  [
    { outcome: 'dns_error', detail: 'The host name could not be resolved (ESERVFAIL).' },
    'its name server returned an error',
    'serveur de noms est en erreur',
  ],
  [{ outcome: 'refused_target' }, 'at a private address', 'à une adresse privée'],
  [{ outcome: 'invalid_url' }, 'not an http or https address', 'n’est pas une adresse http'],
  [{ outcome: 'connection_refused' }, 'nothing listens on this port', 'rien n’écoute sur ce port'],
  [{ outcome: 'connection_error', detail: 'connect EHOSTUNREACH 203.0.113.1:443' }, 'cannot be reached', 'injoignable'],
  [{ outcome: 'connection_error', detail: 'other side closed' }, 'closed before an answer', 'fermée avant toute réponse'],
  [
    { outcome: 'tls_error', detail: "Hostname/IP does not match certificate's altnames: Host: a. is not in the cert's altnames: DNS:b" },
    'The certificate is for another name',
    'Le certificat est pour un autre nom',
  ],
  [{ outcome: 'tls_error', detail: 'certificate has expired' }, 'not valid at this date', 'pas valable à cette date'],
  [{ outcome: 'tls_error', detail: 'self-signed certificate' }, 'not signed by a known authority', 'pas signé par une autorité'],
  [{ outcome: 'tls_error', detail: 'unable to verify the first certificate' }, 'not signed by a known authority', 'pas signé'],
  [{ outcome: 'tls_error', detail: 'write EPROTO' }, 'The TLS connection failed', 'La connexion TLS a échoué'],
  [{ outcome: 'protocol_error' }, 'not valid HTTP', 'pas du HTTP valide'],
  [{ outcome: 'interrupted' }, 'Our service stopped', 'Notre service s’est arrêté'],
  [{ outcome: 'from a later release' }, 'The attempt failed', 'La tentative a échoué'],
] as const) {
  test(`"${expected}" for ${JSON.stringify(changes)}, and the same in French`, () => {
    const { key, values } = diagnoseWebhook({ ...attempt, ...changes }, (ms) => (ms / 1_000).toFixed(1))
    assert.ok(english(key, values).includes(expected), english(key, values))
    assert.ok(french(key, values).replaceAll('\u00a0', ' ').includes(expectedFrench), french(key, values))
  })
}
