/** The search index of docs/plugins.md, as it stands there. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, it } from '@jest/globals';
import type { SearchIndex, SearchIndexPlugin } from '@spandrel/plugin-api';
import { describeSearchIndexContract, setUpPlugin } from '@spandrel/plugin-api/testing';
import { tempDir } from '../support/spandrel.ts';

const [, code] = /^```js file=memory-index\.mjs\n(.*?)^```/ms.exec(readFileSync('docs/plugins.md', 'utf8'))!;
const file = join(tempDir(), 'memory-index.mjs');
writeFileSync(file, code!);
const plugin = ((await import(pathToFileURL(file).href)) as { default: SearchIndexPlugin }).default;

let index: Promise<SearchIndex> | undefined;

describeSearchIndexContract(
  {
    plugin,
    configs: { accepted: [{ dimensions: 3 }, {}], refused: [{ dimensions: 0 }, { size: 3 }] },
    provide: () => (index ??= setUpPlugin(plugin, { dimensions: 3 })),
  },
  { describe, it },
);
