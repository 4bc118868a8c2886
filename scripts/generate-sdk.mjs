/**
 * Writes libs/sdk/src/api/schema.ts and operations.generated.ts from the OpenAPI document of cloud mode, which has every route.
 *
 * Usage: generate-sdk.mjs [--document <file>] [--check]. With --document, from the document in a file. With --check nothing
 * is written: it fails when the files are not equal to the document (test/openapi/document.e2e-spec.ts asks).
 */
import '../bin/require-node.mjs';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { sdkFilesOf } from './sdk-files.mjs';

const { check, document: file } = parseArgs({
  options: { check: { type: 'boolean', default: false }, document: { type: 'string' } },
}).values;

const files = await sdkFilesOf(file === undefined ? await documentOfCloud() : JSON.parse(readFileSync(file, 'utf8')));
for (const [name, text] of Object.entries(files)) {
  const url = new URL(`../libs/sdk/src/api/${name}`, import.meta.url);
  if (!check) {
    writeFileSync(url, text);
  } else if (readFileSync(url, 'utf8') !== text) {
    process.stderr.write(`libs/sdk/src/api/${name} is not that of the document: run node scripts/generate-sdk.mjs\n`);
    process.exitCode = 1;
  }
}

/** The server is put together and never started: any database will do, and nothing asks the one of the settings. */
async function documentOfCloud() {
  const { importSource } = await import('./load-typescript.mjs');
  const { OpenApi } = await importSource('libs/http/src/index.ts');
  const { createLogger, loadSettings } = await importSource('libs/kernel/src/index.ts');
  const { openServer } = await importSource('libs/server/src/index.ts');
  const { SERVER_SETTINGS } = await importSource('libs/server/src/settings.ts');
  const folder = mkdtempSync(join(tmpdir(), 'spandrel-sdk-'));
  const secret = '0123456789abcdef'.repeat(4);
  const env = {
    SPANDREL_MODE: 'cloud',
    DATABASE_URL: 'postgres://127.0.0.1/spandrel',
    SPANDREL_SECRET_KEY: secret,
    SPANDREL_ADMIN_TOKEN: secret,
  };
  try {
    const settings = loadSettings(SERVER_SETTINGS, { args: ['--data-dir', folder], env, cwd: process.cwd() });
    const logger = createLogger('silent', 'generate-sdk');
    const database = { dialect: 'sqlite', file: join(folder, 'spandrel.db') };
    const { app, close } = await openServer(settings, { logger, database });
    const { document } = app.get(OpenApi);
    await close();
    return document;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
