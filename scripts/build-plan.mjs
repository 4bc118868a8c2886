/** What scripts/build.mjs makes of which files. */

/** Each becomes a file of the same path in dist/, by which programs load it. */
export const ENTRIES = [
  'apps/*/src/main.ts',
  'plugins/*/*/index.ts',
  '{apps,libs}/*/src/**/*.{thread,process}.ts',
  // What `spandrel eval file` lends to evals whose project has no SDK installed.
  'libs/sdk/src/{index,eval}.ts',
];

/** What the image of the gateway holds. */
export const GATEWAY_ENTRIES = [
  'apps/{cli,gateway}/src/main.ts',
  'plugins/*/*/index.ts',
  '{apps/gateway,libs/masking}/src/**/*.thread.ts',
];

/** Packages that are loaded from node_modules: they have a binary, files that are served as they are, or a thread of their own. */
const EXTERNAL_PACKAGES = ['better-sqlite3', 'piscina', 'swagger-ui-dist'];

/** Other packages name these and can do without them. */
const NOT_INSTALLED = [
  /^@nestjs\/(microservices|websockets|platform-express)/,
  /^@fastify\/(multipart|static|view)$/,
  /^class-(validator|transformer)(\/|$)/,
  'pg-native',
];

export const EXTERNAL = [...EXTERNAL_PACKAGES.map((name) => new RegExp(`^${name}(/|$)`)), ...NOT_INSTALLED];

/** Each app loads only those chunks of packages that it uses. */
export const CHUNK_GROUPS = [
  { name: 'packages', test: /\/node_modules\//, entriesAware: true, entriesAwareMergeThreshold: 20_000 },
];
