import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { minify } from '@swc/core';
import { defineConfig, type Plugin } from 'vite';
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

/** The page that is fetched first (`scripts/check-dashboard.mjs` has the budget), with what runs before every page. */
const FIRST_PAGES = ['src/main.tsx', 'src/pages/traces/traces-page.tsx'].map(path);
/** Pages have files of their own, and what the first one uses of the contract has one for each of its parts. */
const SPLIT_AS_EVER = /\/src\/pages\/|\/libs\/contract\//;
/** What waits for somebody to open it, with its package. */
const POPUPS = /\/@(?:base-ui|floating-ui)\/|\/src\/(?!pages).*(?:-menu|\/account|\/command-dialog|\/filter-dialog)\./;
/** Parts of pages, without those that only one thing needs, which is large. */
const SHARED_PARTS = /\/src\/(?:features|components|api|app)\/(?!.*(?:json-editor|time-chart|markdown))/;
/** What else is used of the contract: beside a page it would import that page's area, which imports it. */
const CONTRACT_PARTS = /\/libs\/contract\/(?!.*\/(?:json-members|json-digits|format-count|status-buckets)\.)/;
/** Pages that people go to one after the other share a file: one for each page takes 15 KB more gzipped. */
const AREAS: Readonly<Record<string, RegExp>> = {
  trace: /\/src\/pages\/trace\//,
  lists: /\/src\/pages\/(?:spans|sessions?|users?)\//,
  charts: /\/src\/pages\/(?:analytics|boards?)\//,
  data: /\/src\/pages\/(?:datasets?|datapoint)\//,
  evaluations: /\/src\/pages\/(?:evaluations?|new-evaluation|compare)\//,
  quality: /\/src\/pages\/(?:review|review-queue|scoring-rules?|alerts?)\//,
  administration: /\/src\/pages\/(?:connections|events|settings)\//,
};
/** What the index of a package names beside what the first page uses: other pages fetch it. */
const USED_LATER = /(?:queriesObserver|useQueries|mutationObserver|useMutation)\.js$/;

interface ModuleGraph {
  getModuleInfo(id: string): { readonly importedIds: readonly string[] } | null;
}

/**
 * One file holds what the list of traces and every other page need: some thirty small ones would be asked for one by one, and
 * take 5 KB more gzipped.
 */
function createFirstGroup(): (id: string, graph: ModuleGraph) => string | null {
  let needed: ReadonlySet<string> | undefined;
  return (id, graph) => {
    needed ??= staticImportsOf(FIRST_PAGES, graph);
    return needed.has(id) && !SPLIT_AS_EVER.test(id) && !USED_LATER.test(id) ? 'first' : null;
  };
}

function staticImportsOf(entries: readonly string[], graph: ModuleGraph): ReadonlySet<string> {
  const found = new Set<string>();
  const queue = [...entries];
  for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
    if (found.has(id)) continue;
    found.add(id);
    queue.push(...(graph.getModuleInfo(id)?.importedIds ?? []));
  }
  return found;
}

const require = createRequire(import.meta.url);

/** React is CommonJS, which each file would read by way of a namespace: by names all take 4 KB less gzipped. */
const namedReact: Plugin = {
  name: 'named-react',
  apply: 'build',
  enforce: 'pre',
  resolveId: (source, importer) =>
    /^react(?:\/jsx-runtime)?$/.test(source) && importer?.startsWith(path('src')) ? `\0${source}` : null,
  load: (id) =>
    id.startsWith('\0react')
      ? `import all from '${id.slice(1)}'; export const { ${Object.keys(require(id.slice(1)) as object).join()} } = all;`
      : null,
};

/** Several passes over what Vite has minified: all files take 7 KB less gzipped. */
const minifyAgain: Plugin = {
  name: 'minify-again',
  apply: 'build',
  generateBundle: {
    order: 'post',
    handler: async (_options, bundle) => {
      for (const file of Object.values(bundle)) {
        if (file.type !== 'chunk') continue;
        const { code } = await minify(file.code, { module: true, compress: { passes: 3, ecma: 2022 }, mangle: true });
        file.code = code;
      }
    },
  },
};

/** Vite compiles React's JSX itself (`oxc`), see dashboard's tsconfig; no plugin is needed. */
export default defineConfig(({ command }) => ({
  ...(command === 'serve' && { html: { cspNonce: NONCE } }),
  root: path('.'),
  base: '/',
  publicDir: path('public'),
  plugins: [namedReact, minifyAgain],
  // Packages that the dev server has prepared stay with the others' caches.
  cacheDir: path('../../node_modules/.cache/vite'),
  resolve: {
    alias: {
      '@spandrel/contract/browser': path('../../libs/contract/src/browser.ts'),
      '@spandrel/sdk/api': path('../../libs/sdk/src/api/index.ts'),
    },
  },
  css: { transformer: 'lightningcss', lightningcss: { cssModules: { pattern: '[hash]-[local]' } } },
  worker: { format: 'es', plugins: () => [minifyAgain] },
  build: {
    outDir: path('../../dist/dashboard'),
    emptyOutDir: true,
    target: ['chrome125', 'edge125', 'firefox128', 'safari18'],
    // A file for each: the policy allows no script, style or font within a page.
    assetsInlineLimit: 0,
    // What is imported when needed brings its styles; names of its scripts would be 2 KB of the first file.
    modulePreload: {
      polyfill: false,
      resolveDependencies: (_file, names, { hostType }) =>
        hostType === 'html' ? names : names.filter((name) => name.endsWith('.css')),
    },
    reportCompressedSize: false,
    rolldownOptions: {
      // A page that uses one part of the contract fetches that part.
      treeshake: { moduleSideEffects: [{ test: /\/libs\/contract\//, sideEffects: false }] },
      output: {
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [
            { name: createFirstGroup(), debugName: 'first', priority: 1 },
            // What pages are made of: as files of their own these parts take 20 KB more gzipped.
            { name: 'popups', test: POPUPS },
            { name: 'common', test: SHARED_PARTS },
            { name: 'common', test: CONTRACT_PARTS },
            ...Object.entries(AREAS).map(([name, test]) => ({ name, test })),
          ],
        },
      },
      // Packages mark what may not run on a server; nothing of this page does. What should be lazy must be.
      onLog: (level, log, handle) => {
        if (log.code === 'MODULE_LEVEL_DIRECTIVE') return;
        if (log.code === 'INEFFECTIVE_DYNAMIC_IMPORT') throw new Error(log.message);
        handle(level, log);
      },
    },
  },
  server: {
    port: 5173,
    strictPort: true,
    headers: DEVELOPMENT_HEADERS,
    proxy: { '^(/p/[^/]+)?/api/': { target: process.env['SPANDREL_API_URL'] ?? 'http://127.0.0.1:3000' } },
  },
}));
