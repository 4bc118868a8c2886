import { afterAll, beforeAll } from '@jest/globals';
import { entityManager } from './entity-manager.js';
import { facets } from './facets.js';
import { givenUp } from './given-up.js';
import { idOrder } from './id-order.js';
import { ingestRules } from './ingest-rules.js';
import { listing } from './listing.js';
import { listingPlans } from './listing-plans.js';
import { metadataFilters } from './metadata-filters.js';
import { outlines } from './outlines.js';
import { participants } from './participants.js';
import { projects } from './projects.js';
import { rollUps } from './roll-ups.js';
import { schema } from './schema.js';
import { sessionLists } from './session-lists.js';
import { spanRules } from './span-rules.js';
import { textSlices } from './text-slices.js';
import { TracingApp } from './tracing-app.js';
import { transactionEnd } from './transaction-end.js';
import { traceLists } from './trace-lists.js';
import { traceRules } from './trace-rules.js';
import { describeOnDatabase, type SuiteDatabase, type TestDatabase } from '../support/databases.ts';

/** What every database must do alike with what is written: a backend joins by saying how a new, empty database of it is opened. */
export function describeTracingStorage(database: TestDatabase): void {
  describeOnApp(database, 'tracing', (app, { newDatabase }) => {
    schema(() => newDatabase('schema', { tables: false }));
    entityManager(app);
    transactionEnd(app);
    givenUp(() => newDatabase('given_up'));
    idOrder(app);
    traceRules(app);
    spanRules(app);
    ingestRules(app);
    rollUps(app);
    participants(app);
    projects(app);
  });
}

/** How every database must list alike what is written. */
export function describeTracingLists(database: TestDatabase): void {
  describeOnApp(database, 'lists of tracing', (app) => {
    listing(app);
    listingPlans(app);
    outlines(app);
    traceLists(app);
    facets(app);
    sessionLists(app);
    metadataFilters(app);
    textSlices(app);
  });
}

function describeOnApp(
  on: TestDatabase,
  title: string,
  suite: (app: () => TracingApp, database: SuiteDatabase) => void,
): void {
  describeOnDatabase(on, title, (database) => {
    let opened: TracingApp | undefined;

    beforeAll(async () => {
      opened = await TracingApp.open(await database.newDatabase('tracing'));
    });

    afterAll(async () => {
      await opened?.close();
    });

    suite(() => opened!, database);
  });
}
