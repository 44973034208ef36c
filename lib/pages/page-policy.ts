/**
 * The Content-Security-Policy of pages. `scripts` and `styles` are what may run and apply besides the files of this site: a nonce or hashes.
 * There is no inline exception, not for styles either.
 */
export function pagePolicy({
  scripts,
  styles,
  connections = [],
}: Record<'scripts' | 'styles', readonly string[]> & { connections?: readonly string[] }): string {
  return [
    `default-src 'self'`,
    ['script-src', `'self'`, ...scripts].join(' '),
    ['style-src', `'self'`, ...styles].join(' '),
    `img-src 'self' data: blob:`,
    `font-src 'self'`,
    ['connect-src', `'self'`, ...connections].join(' '),
    `object-src 'none'`,
    // The one that shows notifications. Without this, workers follow the rule of scripts.
    `worker-src 'self'`,
    `base-uri 'none'`,
    `form-action 'self'`,
    `frame-ancestors 'none'`,
  ].join('; ')
}
