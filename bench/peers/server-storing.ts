/**
 * The API's own HTTP stack (http, schemas, the rules of every request) with another way of storing spans behind it:
 * `nothing`, or `each` request in a transaction of its own on the API's own tables, fsynced: what group commit is
 * measured against. Usage: server-storing.ts PORT nothing|each [DATA_DIR_TO_COPY_THE_SCHEMA_OF]
 */
import 'reflect-metadata';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Body, Controller, HttpCode, Module, Param, Post } from '@nestjs/common';
import type { CompleteSpan, CreateSpan } from '@spandrel/contract';
import { contract, http, kernel } from '../libs.ts';
import { emptyCopy } from '../database.ts';

interface SpanStore {
  create(id: string, body: CreateSpan): void;
  complete(id: string, body: CompleteSpan): void;
}

const [port, storing, dataDir] = process.argv.slice(2);
const store: SpanStore =
  storing === 'each' ? oneTransactionEach(dataDir!) : { create: () => undefined, complete: () => undefined };

class SpansController {
  create(body: CreateSpan) {
    const id = kernel.newId();
    store.create(id, body);
    return { id, trace_id: body.trace_id };
  }

  complete(id: string, body: CompleteSpan) {
    store.complete(id, body);
    return { id };
  }
}

// Node runs this file with its types stripped, which leaves no room for decorator syntax.
const method = (
  name: 'create' | 'complete',
  decorators: MethodDecorator[],
  parameters: [ParameterDecorator, number][],
): void => {
  const target = SpansController.prototype;
  for (const decorator of decorators) decorator(target, name, Object.getOwnPropertyDescriptor(target, name)!);
  for (const [decorator, index] of parameters) decorator(target, name, index);
};
Controller('api/spans')(SpansController);
const described = (id: string) =>
  http.Operation({ id, summary: id, access: 'open', answer: contract.jsonValueSchema }) as MethodDecorator;
method('create', [Post(), described('create')], [[Body({ schema: contract.createSpanSchema }), 0]]);
method(
  'complete',
  [Post(':id/complete'), HttpCode(200), described('complete')],
  [
    [Param('id'), 0],
    [Body({ schema: contract.completeSpanSchema }), 1],
  ],
);
class SpansModule {}
Module({ controllers: [SpansController] })(SpansModule);

const app = await http.createHttpApp({
  settings: kernel.loadSettings([], { args: [], env: {}, cwd: '/' }),
  plugins: { providers: [], scorers: [], searchIndexes: [], readStores: [], dialects: [], maskers: [] },
  logger: kernel.createLogger('silent', 'bench'),
  features: [kernel.defineFeature({ name: 'spans', module: SpansModule, entities: [], requires: [] })],
  modules: [],
});
await app.listen(Number(port), '127.0.0.1');

function oneTransactionEach(schemaOf: string): SpanStore {
  const folder = mkdtempSync(join(tmpdir(), 'spandrel-each-'));
  process.on('exit', () => rmSync(folder, { recursive: true }));
  process.on('SIGTERM', () => process.exit(0));
  const db = emptyCopy(schemaOf, join(folder, 'each.db'));
  const span = db.prepare(
    "INSERT INTO span (project_id, id, trace_id, name, status, kind_type, started_at) VALUES ('local', ?, ?, ?, 0, 'custom', ?)",
  );
  const payload = db.prepare("INSERT INTO span_payload (project_id, span_id, kind, input) VALUES ('local', ?, ?, ?)");
  const finish = db.prepare(
    "UPDATE span SET status = 1, ended_at = ?, duration_ms = 5 WHERE project_id = 'local' AND id = ?",
  );
  const output = db.prepare("UPDATE span_payload SET output = ? WHERE project_id = 'local' AND span_id = ?");
  return {
    create: db.transaction((id: string, body: CreateSpan) => {
      span.run(id, body.trace_id, body.name, Date.now());
      payload.run(id, JSON.stringify(body.kind), JSON.stringify(body.input));
    }),
    complete: db.transaction((id: string, body: CompleteSpan) => {
      finish.run(Date.now(), id);
      output.run(JSON.stringify(body.output), id);
    }),
  };
}
