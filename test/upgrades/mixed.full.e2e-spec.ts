/**
 * Servers and gateways of one minor version and the next work side by side (docs/releases.md#what-is-promised). The earlier one is
 * the program that `SPANDREL_EARLIER` names (`bin/spandrel.cjs` of an unpacked release of the server); this version without it.
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { EvalRunResource, EvalStatistics } from '@spandrel/contract';
import { startFakeProvider, type FakeProvider } from '../fake-provider/start-fake-provider.ts';
import { differences } from '../support/differences.ts';
import { takeDatabase, type Place, type Program } from '../support/places.ts';
import { freePorts } from '../support/ports.ts';
import { tempDir, until, type StartOptions } from '../support/spandrel.ts';
import { recountedStatistics, sampleRows } from '../evals/recounted-statistics.ts';

const EARLIER = process.env['SPANDREL_EARLIER'];
const DATAPOINTS = 40;
const REPEATS = 4;
const SAMPLES = DATAPOINTS * REPEATS;

const isReady = async ({ apiUrl }: Program): Promise<boolean> => (await fetch(`${apiUrl}/readyz`)).ok;

describe('an earlier server beside one of this version', () => {
  let provider: FakeProvider;
  let place: Place;
  let earlier: Program;
  let later: Program;
  let connectionId: string;
  const startServer = async (options: StartOptions = {}): Promise<Program> => {
    const [port, gatewayPort] = (await freePorts(2)) as [number, number];
    const server = await place.start({ command: 'server', port, gatewayPort, dataDir: tempDir(), ...options });
    await until(() => isReady(server), 30_000);
    return server;
  };
  const startEarlier = () => startServer({ ...(EARLIER !== undefined && { program: EARLIER }) });
  const startRun = async (server: Program, name: string): Promise<string> => {
    const dataset = await server.api.post<{ id: string }>('/api/datasets', { name });
    const lines = Array.from({ length: DATAPOINTS }, (_, n) =>
      JSON.stringify({ input: `fake:slow:40 ${name} ${n}`, expected_output: `${n % 7}` }),
    );
    const headers = { 'content-type': 'application/x-ndjson' };
    await server.api.send('POST', `/api/datasets/${dataset.body.id}/import`, lines.join('\n'), headers);
    const started = await server.api.post<{ id: string }>(`/api/datasets/${dataset.body.id}/eval`, {
      name,
      repeats: REPEATS,
      scorers: [{ name: 'near', scoring: 'Contains' }],
      config: { connection_id: connectionId, model: 'm' },
    });
    expect(started).toMatchObject({ status: 201 });
    return started.body.id;
  };
  const read = async (server: Program, runId: string): Promise<EvalRunResource> =>
    (await server.api.get<EvalRunResource>(`/api/eval/${runId}?items=none`)).body;
  /** Both say of the ended run what its samples say. */
  const expectRecounted = async (runId: string): Promise<void> => {
    const recounted = recountedStatistics(await sampleRows(place, runId, REPEATS), REPEATS);
    for (const server of [earlier, later]) {
      expect(await read(server, runId)).toMatchObject({
        status: 'completed',
        progress: DATAPOINTS,
        sample_progress: SAMPLES,
        failed_samples: 0,
      });
      const { body } = await server.api.get<EvalStatistics>(`/api/eval/${runId}/statistics`);
      expect(differences(recounted, body, 1e-9)).toEqual([]);
      expect(body.pending_samples).toBe(0);
    }
  };
  const hasEnded = async (runId: string): Promise<boolean> => (await read(later, runId)).ended_at !== null;
  const isUnderWay = async (runId: string): Promise<boolean> => (await read(later, runId)).sample_progress >= 8;

  beforeAll(async () => {
    provider = await startFakeProvider();
    place = await takeDatabase();
    earlier = await startEarlier();
    later = await startServer();
    const { body } = await later.api.post<{ id: string }>('/api/provider-connections', {
      name: 'fake',
      provider: 'custom',
      api_key: 'k',
      base_url: `${provider.url}/v1`,
    });
    connectionId = body.id;
  });
  afterAll(async () => {
    await place?.close();
    await provider?.close();
  });

  it('reads what the other one wrote, traces and spans alike', async () => {
    for (const [writer, reader] of [
      [earlier, later],
      [later, earlier],
    ] as const) {
      const trace = (await writer.api.post<{ id: string }>('/api/traces', { name: 'begun' })).body.id;
      const kind = { type: 'llm_call', model: 'gpt-4o', input_tokens: 10, output_tokens: 2 };
      const span = { trace_id: trace, name: 'call', kind, input: 'hello' };
      const { id } = (await writer.api.post<{ id: string }>('/api/spans', span)).body;
      await reader.api.post(`/api/spans/${id}/complete`, { output: 'goodbye' });
      for (const server of [writer, reader]) {
        expect((await server.api.get(`/api/spans/${id}`)).body).toMatchObject({
          status: 'completed',
          output: 'goodbye',
        });
        expect((await server.api.get(`/api/traces/${trace}`)).body).toMatchObject({
          count: 1,
          spans: [{ id, output: 'goodbye' }],
        });
      }
    }
  });

  it('works on the same runs, and each of them counts all its samples', async () => {
    const runs = [await startRun(earlier, 'of the earlier'), await startRun(later, 'of the later')];
    for (const run of runs) {
      await until(() => hasEnded(run), 60_000);
      await expectRecounted(run);
    }
  });

  it('hands a run over to this version when it stops, and takes one over', async () => {
    const run = await startRun(earlier, 'handed over');
    await until(() => isUnderWay(run), 30_000);
    expect(await earlier.stop()).toBe(0);
    earlier = await startEarlier();
    await until(() => isUnderWay(run), 30_000);
    await until(() => hasEnded(run), 60_000);
    await expectRecounted(run);
    const back = await startRun(later, 'handed back');
    await until(() => isUnderWay(back), 30_000);
    expect(await later.stop()).toBe(0);
    later = await startServer();
    await until(() => hasEnded(back), 60_000);
    await expectRecounted(back);
  });
});
