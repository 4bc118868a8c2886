/** docs/feedback.md: its examples run as they stand there. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { AccessSettings } from '../libs/access/src/access.settings.ts';
import { cloudApp, type CloudApp } from './support/cloud-app.ts';
import { createMigrated } from './support/migrated-database.ts';
import { startPostgres, type TestPostgres } from './support/postgres.ts';
import type { Tenant } from './support/tenant.ts';

const page = readFileSync(resolve('docs/feedback.md'), 'utf8');
const blocksOf = (language: string): string[] =>
  [...page.matchAll(/^```([\w ]+)\n(.*?)^```/gms)].flatMap(([, of, code]) => (of === language ? code! : []));

let postgres: TestPostgres;
let app: CloudApp;
let tenant: Tenant;
beforeAll(async () => {
  const { access } = parse(blocksOf('yaml')[0]!) as { access: { feedback_origins: string[] } };
  postgres = await startPostgres();
  app = await cloudApp(await createMigrated(postgres, 'feedback_page'), {
    settings: (settings) => void (settings.of(AccessSettings).feedbackOrigins = access.feedback_origins),
  });
  tenant = await app.createTenant();
  await tenant.api.post('/api/ingest', { traces: [{ id: 'shop-1' }, { id: 'shop-2' }] });
});
afterAll(async () => {
  await app?.close();
  await postgres?.stop();
});

const type = async (command: string, more: Record<string, string> = {}): Promise<Record<string, never>> => {
  const env = { ...process.env, SPANDREL_API_URL: app.url, SPANDREL_API_KEY: tenant.key, TRACE: 'shop-1', ...more };
  const { stdout } = await promisify(execFile)('bash', ['-c', command], { env });
  return JSON.parse(stdout) as Record<string, never>;
};

it('takes a thumb from a web page to the list of answers that were not liked', async () => {
  const [makeKey, grounded, find, sums, define, channel, alert, ...others] = blocksOf('sh');
  const { key, scopes } = await type(makeKey!);
  const send = new Function('SPANDREL_API_URL', 'FEEDBACK_KEY', `${blocksOf('js page')[0]!}; return sendThumb;`) as (
    url: string,
    key: string,
  ) => (traceId: string, isUp: boolean) => Promise<boolean>;
  const sendThumb = send(app.url, key!);
  expect([await sendThumb('shop-1', false), await sendThumb('shop-2', true), await sendThumb('none', true)]).toEqual([
    true,
    true,
    false,
  ]);
  expect(await type(grounded!)).toMatchObject({ name: 'grounded', value: 0.4, source: 'code', trace_id: 'shop-1' });
  expect(await type(find!)).toMatchObject({
    traces: [{ id: 'shop-1', scores: { thumb: { count: 1, mean: 0 }, grounded: { count: 1, mean: 0.4 } } }],
  });
  expect(await type(sums!)).toMatchObject({ buckets: [{ name: 'thumb', count: 2, mean: 0.5 }] });
  expect(await type(define!)).toMatchObject({ name: 'thumb', kind: 'boolean' });
  const { id } = await type(channel!);
  expect(await type(alert!, { CHANNEL: id! })).toMatchObject({ measure: 'cost', group_by: 'user', channel_ids: [id] });
  expect([scopes, others]).toEqual([['feedback'], []]);
});
