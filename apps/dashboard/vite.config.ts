import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { PAGE_HEADERS } from '../../libs/dashboard/src/page-headers.ts';

/** Vite puts styles and its own client into the page while one develops; they bear this, and nothing else may. */
const NONCE = 'vite';
const POLICY = 'content-security-policy';

/** The headers that the server sends, so that what the policy forbids is found where it is written. */
const DEVELOPMENT_HEADERS = {
  ...PAGE_HEADERS,
  [POLICY]: PAGE_HEADERS[POLICY]!.replace(/(?:script|style)-src 'self'/g, `$& 'nonce-${NONCE}'`),
};

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

/** Vite compiles React's JSX itself (`oxc`), see dashboard's tsconfig; no plugin is needed. */
export default defineConfig(({ command }) => ({
  ...(command === 'serve' && { html: { cspNonce: NONCE } }),
  root: path('.'),
  base: '/',
  publicDir: path('public'),
  // Packages that the dev server has prepared stay with the others' caches.
  cacheDir: path('../../node_modules/.cache/vite'),
  resolve: {
    alias: { '@spandrel/contract/browser': path('../../libs/contract/src/browser.ts') },
  },
  css: { transformer: 'lightningcss', lightningcss: { cssModules: { pattern: '[hash]-[local]' } } },
  worker: { format: 'es' },
  build: {
    outDir: path('../../dist/dashboard'),
    emptyOutDir: true,
    target: ['chrome125', 'edge125', 'firefox128', 'safari18'],
    // A file for each: the policy allows no script, style or font within a page.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        // What every page needs compresses better in one piece than in ten.
        codeSplitting: {
          groups: [
            {
              name: 'packages',
              test: /node_modules\/(?:react|react-dom|scheduler|@tanstack|use-sync-external-store)\//,
            },
            { name: 'shared', test: /\/dashboard\/src\/(?:api|components|features|live)\//, minShareCount: 3 },
          ],
        },
      },
      // Packages mark what may not run on a server; nothing of this page does.
      onLog: (level, log, handle) => log.code !== 'MODULE_LEVEL_DIRECTIVE' && handle(level, log),
    },
  },
  server: {
    port: 5173,
    strictPort: true,
    headers: DEVELOPMENT_HEADERS,
    proxy: { '/api': { target: process.env['SPANDREL_API_URL'] ?? 'http://127.0.0.1:3000' } },
  },
}));
