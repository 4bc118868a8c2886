import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { OpenApi } from '@spandrel/http';
import { Readiness } from '@spandrel/kernel';
import { Client } from 'undici';
import { startServerApp, type ServerApp } from '../support/server-app.ts';
import { TrafficCheck } from '../support/traffic-check.ts';
import { fuzzCases, type FuzzCase } from './fuzz-cases.ts';
import { Seeds } from './seeds.ts';
import { describeOnDatabase, type TestDatabase } from '../support/databases.ts';

/** Faults that are shown; more would not be read. */
const FAULTS_SHOWN = 25;

interface Wire {
  status: number;
  headers: { get(name: string): string | null };
  text: string;
}

/**
 * Every route with everything that clients should not send, on one database.
 * @param stride takes every so-manieth request only.
 */
export function describeFuzz(database: TestDatabase, stride = 1): void {
  describeOnDatabase(database, 'odd requests to every operation', ({ newDatabase }) => {
    let app: ServerApp;
    let client: Client;
    beforeAll(async () => {
      app = await startServerApp(await newDatabase('fuzz'));
      app.app.get(Readiness).ready = true;
      client = new Client(app.url);
    });
    afterAll(async () => {
      await client.destroy();
      await app.close();
    });

    it('are answered as the document says, never with a 5xx, and leave the connection usable', async () => {
      const { document, json } = app.app.get(OpenApi);
      const check = TrafficCheck.of(json.toString());
      const seeds = await Seeds.plant(app.api);
      const faults: string[] = [];
      const seen = new Map<string, number>();
      let requests = 0;
      let turn = 0;
      for (const fuzzed of fuzzCases(document, seeds)) {
        if (turn++ % stride !== 0) continue;
        const fault = await send(client, fuzzed).then(
          (answer) => {
            const group = `${Math.floor(answer.status / 100)}xx`;
            seen.set(group, (seen.get(group) ?? 0) + 1);
            return faultOf(check, fuzzed, answer);
          },
          (error: unknown) => `no answer: ${String(error)}`,
        );
        requests++;
        if (fault !== undefined) faults.push(`${fuzzed.what}: ${fuzzed.method} ${fuzzed.path.slice(0, 120)}: ${fault}`);
      }
      expect(faults.slice(0, FAULTS_SHOWN)).toEqual([]);
      expect(requests).toBeGreaterThan((64 * 40) / stride);
      // Most are refused, and some are not as odd as they look.
      expect(seen.get('4xx')).toBeGreaterThan(requests / 2);
      expect(seen.get('2xx')).toBeGreaterThan(100 / stride);
      expect((await app.api.get('/api/health')).status).toBe(200);
    }, 300_000);
  });
}

function faultOf(check: TrafficCheck, { method, path, body }: FuzzCase, answer: Wire): string | undefined {
  // 501: there is no search index. That is an answer.
  if (answer.status >= 500 && answer.status !== 501) return `${answer.status} ${answer.text.slice(0, 300)}`;
  if (({} as Record<string, unknown>)['polluted'] !== undefined) return 'Object.prototype is polluted';
  try {
    check.check({ method, path, requestBody: body?.toString(), ...answer });
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

async function send(client: Client, { method, path, headers, body }: FuzzCase): Promise<Wire> {
  const answer = await client.request({
    method: method as 'GET',
    path,
    ...(headers && { headers }),
    ...(body !== undefined && { body }),
  });
  const get = (name: string): string | null => (answer.headers[name] as string | undefined) ?? null;
  if (get('content-type')?.startsWith('text/event-stream')) {
    answer.body.on('error', () => undefined).destroy();
    return { status: answer.statusCode, headers: { get }, text: '' };
  }
  return { status: answer.statusCode, headers: { get }, text: await answer.body.text() };
}
