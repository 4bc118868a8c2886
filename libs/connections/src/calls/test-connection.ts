import { Injectable } from '@nestjs/common';
import type { ConnectionTestResult } from '@spandrel/contract';
import { Turn, type Scope } from '@spandrel/kernel';
import { ConnectionCallError } from './decode-answer.js';
import { ConnectionStore } from '../connection.store.js';
import { Connections, ConnectionUnusable } from '../connections.js';
import type { OpenConnection } from './open-connection.js';
import { refusalOf } from './refusal-of.js';

const TIMEOUT_MS = 15_000;

/** Lists the models of a connection, which costs nothing (docs/spec/connections.md#testing-a-connection). */
@Injectable()
export class TestConnection {
  constructor(
    private readonly store: ConnectionStore,
    private readonly connections: Connections,
  ) {}

  /** @throws NotFound; whatever else goes wrong is the result. */
  async execute(scope: Scope, id: string): Promise<ConnectionTestResult> {
    const row = await this.store.get(scope, id);
    const started = performance.now();
    try {
      return await listModels(this.connections.openRow(row));
    } catch (error) {
      const isKnown = [ConnectionUnusable, ConnectionCallError, TestFailure].some((Known) => error instanceof Known);
      if (!isKnown) throw error;
      const latency = Math.round(performance.now() - started);
      return { ok: false, latency_ms: latency, models: null, error: (error as Error).message };
    }
  }
}

/** @throws TestFailure, ConnectionCallError */
async function listModels(connection: OpenConnection): Promise<ConnectionTestResult> {
  const { provider, providerName, target } = connection;
  const pluginFailure = (reason: string): TestFailure =>
    new TestFailure(connection.redact(`the provider plugin ${providerName} failed: ${reason}`));
  /** What a plugin throws or returns is its author's; neither may fail the request or show the key. */
  const ask = <T>(call: () => T): T => {
    try {
      return call();
    } catch (error) {
      throw pluginFailure(error instanceof Error ? error.message : String(error));
    }
  };

  const request = ask(() => provider.chat.buildModelsRequest(target));
  const reply = await connection.send(request, { timeoutMs: TIMEOUT_MS });
  if (reply.status < 200 || reply.status > 299) throw new TestFailure(refusalOf(connection, reply));
  const answered = `HTTP ${reply.status} from ${connection.server}`;
  if (reply.body === undefined) {
    throw new TestFailure(`${answered}, but the answer is not JSON: is this the base_url of an API?`);
  }
  const models = ask(() => provider.chat.readModels(reply.body));
  if (models === null) {
    throw new TestFailure(`${answered}, but the answer is no list of models: is this the base_url of an API?`);
  }
  if (!Array.isArray(models) || !models.every((model) => typeof model === 'string')) {
    throw pluginFailure('readModels returned no list of names');
  }
  const shown: string[] = [];
  const turn = new Turn();
  for (const model of models) {
    shown.push(await connection.redactOutput(model));
    if (turn.isOver()) await turn.next();
  }
  return { ok: true, latency_ms: reply.latencyMs, models: shown, error: null };
}

class TestFailure extends Error {}
