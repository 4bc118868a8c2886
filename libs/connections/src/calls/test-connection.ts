import { Injectable } from '@nestjs/common';
import type { ConnectionTestResult } from '@spandrel/contract';
import { Turn, type Scope } from '@spandrel/kernel';
import { ConnectionCallError } from './decode-answer.js';
import { ConnectionStore } from '../connection.store.js';
import { Connections, ConnectionUnusable } from '../connections.js';
import type { OpenConnection } from './open-connection.js';
import { refusalOf } from './refusal-of.js';

const TIMEOUT_MS = 15_000;

/**
 * `POST /api/provider-connections/:id/test`: lists the models through the connection, which costs nothing
 * (docs/spec/connections.md#testing-a-connection).
 */
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
    const failed = (error: string): ConnectionTestResult => ({
      ok: false,
      latency_ms: Math.round(performance.now() - started),
      models: null,
      error,
    });
    try {
      return await listModels(this.connections.openRow(row), failed);
    } catch (error) {
      if (error instanceof ConnectionUnusable || error instanceof ConnectionCallError) return failed(error.message);
      throw error;
    }
  }
}

async function listModels(
  connection: OpenConnection,
  failed: (error: string) => ConnectionTestResult,
): Promise<ConnectionTestResult> {
  const { provider, providerName, target } = connection;
  /** What a plugin throws or returns is its author's; neither may fail the request or show the key. */
  const asked = <T>(call: () => T): T | PluginFailure => {
    try {
      return call();
    } catch (error) {
      return new PluginFailure(error instanceof Error ? error.message : String(error));
    }
  };
  const pluginFailed = ({ reason }: PluginFailure): ConnectionTestResult =>
    failed(connection.redact(`the provider plugin ${providerName} failed: ${reason}`));

  const request = asked(() => provider.chat.buildModelsRequest(target));
  if (request instanceof PluginFailure) return pluginFailed(request);
  const reply = await connection.send(request, { timeoutMs: TIMEOUT_MS });
  if (reply.status < 200 || reply.status > 299) {
    return failed(refusalOf(connection, reply));
  }
  const answered = `HTTP ${reply.status} from ${connection.server}`;
  if (reply.body === undefined) {
    return failed(`${answered}, but the answer is not JSON: is this the base_url of an API?`);
  }
  const models = asked(() => provider.chat.readModels(reply.body));
  if (models instanceof PluginFailure) return pluginFailed(models);
  if (models === null) {
    return failed(`${answered}, but the answer is no list of models: is this the base_url of an API?`);
  }
  if (!Array.isArray(models) || !models.every((model) => typeof model === 'string')) {
    return pluginFailed(new PluginFailure('readModels returned no list of names'));
  }
  const shown: string[] = [];
  const turn = new Turn();
  for (const model of models) {
    shown.push(await connection.redactOutput(model));
    if (turn.isOver()) await turn.next();
  }
  return {
    ok: true,
    latency_ms: reply.latencyMs,
    models: shown,
    error: null,
  };
}

class PluginFailure {
  constructor(readonly reason: string) {}
}
