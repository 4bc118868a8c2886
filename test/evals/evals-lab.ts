import type { DatapointKind, EvalRunResource, EvalRunSummary, EventPayload, StartEval } from '@spandrel/contract';
import type { StorageConfig } from '@spandrel/storage';
import { startFakeProvider, type FakeProvider } from '../fake-provider/start-fake-provider.ts';
import type { Answer } from '../support/api.ts';
import { startServerApp, type ServerApp, type ServerAppOptions } from '../support/server-app.ts';
import { until } from '../support/spandrel.ts';

type StartBody = { [Member in keyof StartEval]?: unknown };

/** A server with a connection to the fake provider, and what tests of runs do with them. */
export class EvalsLab {
  private constructor(
    readonly provider: FakeProvider,
    readonly server: ServerApp,
    readonly connectionId: string,
  ) {}

  static async open(config: StorageConfig, options: ServerAppOptions = {}): Promise<EvalsLab> {
    const provider = await startFakeProvider();
    const server = await startServerApp(config, options);
    const { body } = await server.api.post<{ id: string }>('/api/provider-connections', {
      name: 'fake',
      provider: 'openai',
      api_key: 'sk-test-fake-key',
      base_url: `${provider.url}/v1`,
      default_model: 'gpt-5.1',
    });
    return new EvalsLab(provider, server, body.id);
  }

  /** This lab on another server over the same database. */
  on = (server: ServerApp): EvalsLab => new EvalsLab(this.provider, server, this.connectionId);

  get api(): ServerApp['api'] {
    return this.server.api;
  }

  /** A dataset of these datapoints. @returns its id and theirs. */
  async dataset(...kinds: (DatapointKind | string)[]): Promise<{ id: string; datapointIds: string[] }> {
    const { body } = await this.api.post<{ id: string }>('/api/datasets', { name: 'set' });
    const datapointIds: string[] = [];
    for (const kind of kinds) datapointIds.push(await this.datapoint(body.id, kind));
    return { id: body.id, datapointIds };
  }

  /** Adds a datapoint. @param kind a text is the input of a Generic one. */
  async datapoint(datasetId: string, kind: DatapointKind | string): Promise<string> {
    const whole = typeof kind === 'string' ? { Generic: { input: kind } } : kind;
    const { body } = await this.api.post<{ id: string }>(`/api/datasets/${datasetId}/datapoints`, { kind: whole });
    return body.id;
  }

  start<Body = EvalRunResource>(datasetId: string, body: StartBody = {}): Promise<Answer<Body>> {
    const config = { connection_id: this.connectionId, ...(body.config as object | undefined) };
    return this.api.post<Body>(`/api/datasets/${datasetId}/eval`, { name: 'run', scoring: 'None', ...body, config });
  }

  /** Starts a run and waits for its end. */
  async run(datasetId: string, body: StartBody = {}): Promise<EvalRunResource> {
    const { status, body: started } = await this.start(datasetId, body);
    if (status !== 201) throw new Error(`not started: ${JSON.stringify(started)}`);
    return this.ended(started.id);
  }

  async ended(runId: string, timeoutMs = 20_000): Promise<EvalRunResource> {
    let run: EvalRunResource | undefined;
    await until(
      async () => {
        run = await this.summary(runId);
        return !['pending', 'running'].includes(run.status);
      },
      timeoutMs,
      () => `the run did not end: ${JSON.stringify(run).slice(0, 500)}`,
    );
    return this.read(runId);
  }

  read = async (runId: string): Promise<EvalRunResource> =>
    (await this.api.get<EvalRunResource>(`/api/eval/${runId}`)).body;

  /** A run without its items: to ask again and again for all of them is the most that a test does. */
  summary = async (runId: string): Promise<EvalRunResource> =>
    (await this.api.get<EvalRunResource>(`/api/eval/${runId}?items=none`)).body;

  runs = async (datasetId: string): Promise<EvalRunSummary[]> =>
    (await this.api.get<{ runs: EvalRunSummary[] }>(`/api/datasets/${datasetId}/eval`)).body.runs;

  /** Events of a run so far. */
  eventsOf = (runId: string): EventPayload[] =>
    this.server.events.map(({ event }) => event).filter((event) => 'run_id' in event && event.run_id === runId);

  /** How often the provider was asked by each last message, since the provider's requests were last emptied. */
  asked(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { body, url } of this.provider.requests) {
      if (!url.endsWith('/chat/completions')) continue;
      const { messages } = JSON.parse(body.toString('utf8')) as { messages: { content: string }[] };
      const text = messages.at(-1)!.content;
      counts.set(text, (counts.get(text) ?? 0) + 1);
    }
    return counts;
  }

  /** The body of the last request to the provider. */
  lastRequest = (): Record<string, unknown> =>
    JSON.parse(this.provider.requests.at(-1)!.body.toString('utf8')) as Record<string, unknown>;

  async close(): Promise<void> {
    await this.server.close();
    await this.provider.close();
  }
}
