/** What a server says of itself: the OpenAPI document, the page that shows it, and traffic that is held against it. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from '@jest/globals';
import { OpenApi } from '@spandrel/http';
import { cloudApp } from '../support/cloud-app.ts';
import { createMigrated } from '../support/migrated-database.ts';
import { forBothDatabases } from '../support/databases.ts';
import { startPostgres } from '../support/postgres.ts';
import { startServerApp, type ServerAppOptions } from '../support/server-app.ts';
import { tempDir } from '../support/spandrel.ts';
import { describeDocsPage } from './describe-docs-page.ts';
import { describeDocument } from './describe-document.ts';
import { describeDrift } from './describe-drift.ts';
import { describeSdkFiles } from './describe-sdk-files.ts';
import type { Described } from './described.ts';

/** Notes the routes that a server takes; files of the dashboard are none of the API's. */
function watchRoutes(): { routes: Set<string>; prepare: NonNullable<ServerAppOptions['prepare']> } {
  const routes = new Set<string>();
  return {
    routes,
    prepare: (app) =>
      app
        .getHttpAdapter()
        .getInstance()
        .addHook('onRoute', ({ method, url, config }) => {
          if ((config as { openRoute?: true } | undefined)?.openRoute) return;
          for (const verb of [method].flat()) routes.add(`${verb} ${url}`);
        }),
  };
}

async function startLocal(): Promise<Described> {
  const { routes, prepare } = watchRoutes();
  const app = await startServerApp({ dialect: 'sqlite', file: join(tempDir(), 'spandrel.db') }, { prepare });
  return { ...app, document: app.app.get(OpenApi).document, routes };
}

async function startCloud(): Promise<Described> {
  const { routes, prepare } = watchRoutes();
  const postgres = await startPostgres();
  const app = await cloudApp(await createMigrated(postgres, 'document'), { prepare });
  const { api } = await app.createTenant();
  return {
    ...app,
    api,
    document: app.app.get(OpenApi).document,
    routes,
    close: async () => {
      await app.close();
      await postgres.stop();
    },
  };
}

forBothDatabases(({ name }) => describeMode(name === 'Postgres'));

function describeMode(isCloud: boolean): void {
  describe(isCloud ? 'in cloud mode, on Postgres' : 'in local mode, on SQLite', () => {
    let described: Described;
    beforeAll(async () => {
      described = await (isCloud ? startCloud() : startLocal());
    });
    afterAll(() => described?.close());

    describeDocument(isCloud, () => described);
    describeDocsPage(() => described, isCloud);
    describeDrift(() => described);
    // Cloud mode has every route.
    if (isCloud) describeSdkFiles(() => described);
  });
}
