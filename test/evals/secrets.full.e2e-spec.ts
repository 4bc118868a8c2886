/** Providers that repeat the key they were sent, in every way: none of it gets into a result, an export, a log or a file. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { EvalRunResource } from '@spandrel/contract';
import { Canaries } from '../support/canaries.ts';
import type { Place, Program } from '../support/places.ts';
import { until } from '../support/spandrel.ts';
import { describeOnBothDatabases } from '../support/databases.ts';

/** What the provider does with the key, by what is said. */
const ECHOES = ['refused', 'masked', 'answered', 'garbage', 'in an error', 'redirected', 'cut'] as const;

let provider: Server;
let base: string;
const redirected: string[] = [];

beforeAll(async () => {
  provider = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const key = String(request.headers['x-api-key'] ?? request.headers.authorization?.replace(/^Bearer /, ''));
      if (request.url!.startsWith('/elsewhere')) redirected.push(key);
      const said = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { messages: { content: string }[] };
      const { status = 200, body, headers = {} } = echo(said.messages.at(-1)!.content, key);
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      if (body === undefined) response.write('{"choices":', () => response.destroy());
      else response.end(body);
    });
  });
  await new Promise<void>((done) => provider.listen(0, '127.0.0.1', done));
  base = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1`;
});
afterAll(() => void provider.close());

const answer = (content: string): string =>
  JSON.stringify({ choices: [{ message: { role: 'assistant', content }, finish_reason: 'stop' }], usage: {} });

function echo(said: string, key: string): { status?: number; body?: string; headers?: Record<string, string> } {
  if (said.includes('refused')) return { status: 401, body: JSON.stringify({ error: { message: `bad key ${key}` } }) };
  if (said.includes('masked')) {
    const masked = `${key.slice(0, 8)}*****${key.slice(-8)}`;
    return { status: 403, body: JSON.stringify({ error: { message: `Incorrect API key provided: ${masked}.` } }) };
  }
  if (said.includes('answered')) return { body: answer(`{"score": 1, "reason": "you sent ${key}"} ${key}`) };
  if (said.includes('garbage')) return { body: `<html>${key} ${encodeURIComponent(key)}` };
  if (said.includes('in an error')) return { body: JSON.stringify({ error: { message: key, key } }) };
  if (said.includes('redirected'))
    return { status: 307, body: '', headers: { location: `/elsewhere?key=${encodeURIComponent(key)}` } };
  return {};
}

describeOnBothDatabases('a provider that repeats its key', ({ takePlace }) => {
  let place: Place;
  let program: Program;
  beforeAll(async () => {
    place = await takePlace();
    program = await place.start({ command: 'server', env: { SPANDREL_LOG_LEVEL: 'trace' } });
  });
  afterAll(() => place?.close());

  it('does not get it into anything that is kept, shown or logged', async () => {
    const canaries = new Canaries();
    const { api } = program;
    const connect = async (name: string): Promise<string> => {
      const { status, body } = await api.post<{ id: string }>('/api/provider-connections', {
        name,
        provider: 'custom',
        api_key: canaries.plant(name),
        base_url: base,
      });
      expect(status).toBe(201);
      return body.id;
    };
    const [own, judge] = [await connect('the key of the run'), await connect('the key of the judge')];
    const { body: dataset } = await api.post<{ id: string }>('/api/datasets', { name: 'echoes' });
    const ids: string[] = [];
    for (const said of ECHOES) {
      const kind = { Generic: { input: said, expected_output: 'x' } };
      ids.push((await api.post<{ id: string }>(`/api/datasets/${dataset.id}/datapoints`, { kind })).body.id);
    }
    const shown: string[] = [];
    const runs: string[] = [];
    for (const scoring of ['Contains', 'LlmJudge', 'None']) {
      const { body: run } = await api.post<EvalRunResource>(`/api/datasets/${dataset.id}/eval`, {
        name: scoring,
        scoring,
        config: { connection_id: own, model: 'm', judge: { connection_id: judge, model: 'j', rubric: 'answered' } },
      });
      let ended = run;
      await until(async () => {
        ended = (await api.get<EvalRunResource>(`/api/eval/${run.id}`)).body;
        return ended.status === 'completed';
      });
      expect(
        ended.result_items.map(({ status }) => status).filter((status) => status === 'failed').length,
      ).toBeGreaterThan(5);
      if (scoring === 'None') expect(ended.result_items[2]?.output).toContain('[redacted]');
      runs.push(run.id);
    }
    await api.post(`/api/datasets/${dataset.id}/queue`, { datapoint_ids: ids });
    for (const path of [
      ...runs.map((id) => `/api/eval/${id}`),
      `/api/datasets/${dataset.id}/eval`,
      `/api/datasets/${dataset.id}/compare?runs=${runs.join(',')}`,
      `/api/datasets/${dataset.id}/datapoints`,
      `/api/datasets/${dataset.id}/queue`,
      ...['jsonl', 'json', 'csv'].map((format) => `/api/datasets/${dataset.id}/export?format=${format}`),
    ]) {
      const response = await fetch(program.apiUrl + path, { headers: place.headers });
      expect([path, response.status]).toEqual([path, 200]);
      shown.push(await response.text());
    }
    expect(canaries.findIn(shown.join('\n'))).toEqual([]);
    // While it runs, with the write-ahead log, and when it has stopped.
    expect(canaries.findInContents(await place.contents(), ['secret.key'])).toEqual([]);
    expect(redirected).toEqual([]);
    expect(await program.stop()).toBe(0);
    expect(canaries.findInContents(await place.contents(), ['secret.key'])).toEqual([]);
    expect(canaries.findIn(program.output())).toEqual([]);
  });
});
