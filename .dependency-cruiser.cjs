/** Who may import whom (docs/architecture.md). Lowest layer first; a layer imports only layers below it. */
const lib = (...names) => `^libs/(${names.join('|')})/`;
/** What every feature stands on, and what those have besides that keep rows and have routes. */
const KERNEL = ['kernel', 'plugin-api', 'contract'];
const ROWS = ['storage', 'http', ...KERNEL];
const LAYERS = [
  ['contract', []],
  ['plugin-api', ['contract']],
  ['kernel', ['plugin-api', 'contract']],
  ['http', [...KERNEL]],
  ['storage', [...KERNEL]],
  ['events', [...ROWS]],
  ['audit', [...ROWS]],
  ['masking', ['audit', ...ROWS]],
  ['uploads', ['http', ...KERNEL]],
  ['dashboard', ['http', ...KERNEL]],
  ['mcp', ['http', ...KERNEL]],
  ['access', ['audit', 'events', ...ROWS]],
  ['tracing', ['masking', 'audit', 'events', ...ROWS]],
  ['otlp', ['tracing', 'masking', 'audit', 'events', ...ROWS]],
  ['connections', ['masking', 'audit', 'events', ...ROWS]],
  ['datasets', ['tracing', 'uploads', 'masking', 'audit', 'events', ...ROWS]],
  ['analytics', ['tracing', 'audit', 'events', ...ROWS]],
  ['scores', ['tracing', 'masking', 'audit', ...ROWS]],
  ['alerts', ['scores', 'analytics', 'connections', 'tracing', 'access', 'audit', 'events', ...ROWS]],
  ['queue', ['scores', 'datasets', 'tracing', 'masking', 'audit', 'events', ...ROWS]],
  ['read-store', ['tracing', 'audit', 'events', ...ROWS]],
  ['search', ['connections', 'tracing', 'audit', 'events', ...ROWS]],
  ['evals', ['queue', 'datasets', 'connections', 'tracing', 'masking', 'audit', 'events', ...ROWS]],
  ['online-scoring', ['evals', 'scores', 'datasets', 'connections', 'tracing', 'masking', 'audit', ...ROWS]],
  ['replay', ['evals', 'datasets', 'connections', 'tracing', 'masking', 'audit', 'events', ...ROWS]],
  ['collaboration', ['alerts', 'evals', 'datasets', 'tracing', 'masking', 'audit', 'events', ...ROWS]],
  [
    'transfer',
    [
      'collaboration',
      'evals',
      'queue',
      'alerts',
      'scores',
      'datasets',
      'connections',
      'tracing',
      'uploads',
      'masking',
      'audit',
      'events',
      ...ROWS,
    ],
  ],
];
LAYERS.push(['server', LAYERS.map(([name]) => name)]);
// What programs of users run imports none of ours.
LAYERS.push(['sdk', []]);

/** The folders of the dashboard, lowest last: pages are put together in `app`. */
const folder = (...names) => `^apps/dashboard/src/(${names.join('|')})/`;
const DASHBOARD_LAYERS = [
  ['file', ['app', 'pages', 'features', 'components', 'live', 'api', 'styles']],
  ['app', ['pages', 'features', 'components', 'live', 'api', 'styles']],
  ['pages', ['features', 'components', 'live', 'api']],
  ['features', ['components', 'live', 'api']],
  ['components', []],
  ['live', ['api']],
  ['api', []],
];

module.exports = {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'not-to-unresolvable',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '\\?worker&url$' },
    },
    ...LAYERS.map(([name, below]) => ({
      name: `${name}-imports-only-layers-below`,
      severity: 'error',
      from: { path: lib(name) },
      to: { path: '^(libs|apps|plugins)/', pathNot: lib(name, ...below) },
    })),
    {
      name: 'contract-imports-zod-only',
      severity: 'error',
      from: { path: lib('contract'), pathNot: '\\.spec\\.ts$' },
      to: { dependencyTypes: ['npm'], pathNot: '^node_modules/zod/' },
    },
    {
      name: 'sdk-imports-no-package',
      severity: 'error',
      from: { path: lib('sdk'), pathNot: '\\.spec\\.ts$' },
      to: { path: ['node_modules/', '^(node:)?(?!async_hooks$)[a-z_]+$'] },
    },
    {
      name: 'plugins-import-plugin-api-and-contract-only',
      severity: 'error',
      from: { path: '^plugins/([^/]+/[^/]+)/' },
      to: { path: '^(libs|apps|plugins)/', pathNot: [lib('plugin-api', 'contract'), '^plugins/$1/'] },
    },
    {
      name: 'plugins-know-no-framework',
      severity: 'error',
      from: { path: '^plugins/' },
      to: { path: '^node_modules/(@nestjs|@mikro-orm|better-sqlite3|fastify)/' },
    },
    {
      name: 'nobody-imports-plugins',
      severity: 'error',
      from: { pathNot: '^(plugins|test)/' },
      to: { path: '^plugins/' },
    },
    { name: 'libs-import-no-app', severity: 'error', from: { path: '^libs/' }, to: { path: '^apps/' } },
    {
      name: 'apps-import-no-other-app',
      severity: 'error',
      from: { path: '^apps/([^/]+)/' },
      // What users set of an app is told by all of them: `serve` starts the gateway, and help lists every flag. Commands read cassettes.
      to: { path: '^apps/', pathNot: ['^apps/$1/', '\\.settings\\.ts$', '^apps/gateway/src/cassette/'] },
    },
    ...DASHBOARD_LAYERS.map(([name, below]) => ({
      name: `dashboard-${name}-imports-only-layers-below`,
      severity: 'error',
      from: { path: folder(name) },
      to: { path: '^apps/dashboard/src/', pathNot: [folder(name, ...below), '\\.css$'] },
    })),
    {
      name: 'no-page-imports-a-page',
      severity: 'error',
      from: { path: '^apps/dashboard/src/pages/([^/]+)/' },
      to: { path: '^apps/dashboard/src/pages/', pathNot: '^apps/dashboard/src/pages/$1/' },
    },
    {
      name: 'dashboard-knows-the-wire-alone',
      severity: 'error',
      from: { path: '^apps/dashboard/src/' },
      to: {
        path: '^(libs|plugins)/',
        pathNot: ['^libs/contract/src/(browser|index)\\.ts$', '^libs/sdk/src/api/index\\.ts$'],
      },
    },
    {
      name: 'dashboard-takes-only-types-from-the-index-of-contract',
      severity: 'error',
      from: { path: '^apps/dashboard/src/' },
      to: { path: '^libs/contract/src/index\\.ts$', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'what-runs-in-a-page-imports-no-package-and-no-node',
      severity: 'error',
      from: { path: '^libs/contract/src/browser\\.ts$' },
      to: { path: ['node_modules/', '^(node:|fs$|path$|url$|crypto$|buffer$)'], reachable: true },
    },
    {
      name: 'settings-load-neither-framework-nor-database',
      severity: 'error',
      from: { path: ['\\.settings\\.ts$', '^apps/cli/src/command-settings\\.ts$'] },
      to: { path: '^node_modules/(@nestjs|@mikro-orm|fastify|better-sqlite3|pg)/', reachable: true },
    },
    {
      name: 'gateway-knows-no-storage-and-no-feature',
      severity: 'error',
      from: { path: '^apps/gateway/' },
      to: {
        path: '^libs/',
        pathNot: [lib('contract', 'plugin-api', 'kernel', 'http'), '^libs/masking/src/engine\\.ts$'],
      },
    },
    {
      name: 'masking-engine-knows-no-storage-and-no-framework',
      severity: 'error',
      from: { path: '^libs/masking/src/engine' },
      to: { path: ['^libs/(storage|audit|events)/', '^node_modules/(@nestjs|@mikro-orm)/'] },
    },
    {
      name: 'orm-stays-in-storage-entities-stores-and-sql',
      severity: 'error',
      from: { path: '^(apps|libs|plugins)/', pathNot: [lib('storage'), '\\.(entity|store|sql)\\.ts$'] },
      to: { path: '^node_modules/(@mikro-orm|kysely|better-sqlite3|pg)/' },
    },
    {
      name: 'an-index-is-for-others',
      severity: 'error',
      from: { path: '^libs/([^/]+)/src/.+', pathNot: ['^libs/[^/]+/src/testing/', '\\.spec\\.ts$'] },
      to: { path: '^libs/$1/src/index\\.ts$' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.json'],
    },
  },
};
