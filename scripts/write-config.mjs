/**
 * Writes config/default.yaml and config/cloud.yaml from what the parts of the program declare:
 *   npm run config:write
 * A unit test fails when they are not equal (apps/cli/src/command-settings.spec.ts).
 */
import '../bin/require-node.mjs';
import { writeFileSync } from 'node:fs';
import { configFiles } from './config-files.mjs';
import { importSource } from './load-typescript.mjs';

const { CoreSettings } = await importSource('libs/kernel/src/launch.ts');
const { ALL_SETTINGS } = await importSource('apps/cli/src/command-settings.ts');

for (const [name, text] of Object.entries(configFiles([CoreSettings, ...ALL_SETTINGS]))) {
  writeFileSync(new URL(`../config/${name}.yaml`, import.meta.url), text);
}
