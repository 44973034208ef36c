import type { NextConfig } from 'next'

/**
 * Types are checked by `tsc` and style by Biome, so the build only builds. The process behind the front door
 * serves the result; packages with native parts or worker threads stay outside the bundle.
 */
const config: NextConfig = {
  poweredByHeader: false,
  reactStrictMode: true,
  typescript: { ignoreBuildErrors: true },
  images: { unoptimized: true },
  // Compression costs less here than the bytes cost on a mobile link; a proxy in front may switch it off by compressing itself.
  compress: true,
  devIndicators: false,
  serverExternalPackages: ['pg', '@node-rs/argon2', 'pino', 'prom-client', 'undici', 'web-push'],
  // Headers that need no nonce, on pages and files alike. No other site gets a referrer: addresses hold ids and filters. Not
  // `no-referrer`, because a form then posts with `Origin: null`, and server actions rightly refuse that.
  headers: async () => [
    {
      source: '/:path*',
      headers: [
        { key: 'x-content-type-options', value: 'nosniff' },
        { key: 'referrer-policy', value: 'same-origin' },
        { key: 'x-frame-options', value: 'DENY' },
        { key: 'cross-origin-opener-policy', value: 'same-origin' },
        { key: 'permissions-policy', value: 'camera=(), microphone=(), geolocation=(), payment=(), usb=(), browsing-topics=()' },
      ],
    },
    // Answers that are never a page say so, in case a browser is led to read one as a page. Pages get their policy, with a nonce, from proxy.ts.
    ...[
      '/api/auth/:path*',
      '/api/back-office/:path*',
      '/_next/static/:path*',
      '/robots.txt',
      '/icon.svg',
      '/push-worker.js',
      '/docs/search',
    ].map((source) => ({
      source,
      headers: [{ key: 'content-security-policy', value: "default-src 'none'; frame-ancestors 'none'" }],
    })),
    // A file that a maker attached: our own pages may frame it, and as a document of its own it can do nothing. No sandbox in the page's
    // frame: in one, Chromium shows no PDF, but it shows one whose own policy sandboxes it. A viewer of pictures needs a style.
    {
      source: '/api/back-office/:application/transactions/:transaction/attachment',
      headers: [
        {
          key: 'content-security-policy',
          value: "sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'",
        },
        { key: 'x-frame-options', value: 'SAMEORIGIN' },
      ],
    },
  ],
  experimental: {
    // A page is loaded when it is first asked for. All of them at the start would be memory for pages that nobody opens, and for the API's
    // `route.ts` files, which the front door answers before Next.
    preloadEntriesOnStart: false,
    // forbidden() answers 403 with the page's own words instead of a not-found that would mislead.
    authInterrupts: true,
    // A server action gets forms and short lists of ids, never files. The front door refuses what is larger; without it, or where it
    // should miss something, Next stops at the same size, and holds no more of a body for proxy.ts than that (10 MB unless said).
    serverActions: { bodySizeLimit: '1mb' },
    proxyClientMaxBodySize: '1mb',
    // Back and forward within half a minute show the page at once; react-query refreshes what moved.
    staleTimes: { dynamic: 0, static: 180 },
  },
}

export default config
