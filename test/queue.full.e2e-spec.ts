/** The review queue of a started Spandrel, from a datapoint to its reviewed self. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { DatapointResource, DatasetResource, QueueItemResource } from '@spandrel/contract';
import type { Api } from './support/api.ts';
import type { Place, Program } from './support/places.ts';
import { tempDir, until } from './support/spandrel.ts';
import { describeOnBothDatabases } from './support/databases.ts';

interface QueuePage {
  items: QueueItemResource[];
  count: number;
  next_cursor: string | null;
}

const CLAIM_TIMEOUT_MS = 2_000;

let api: Api;
let program: Program;

/** A new dataset with these inputs, all in its queue. */
async function queueOf(...inputs: string[]) {
  const { body: dataset } = await api.post<DatasetResource>('/api/datasets', { name: 'reviewed' });
  const ids: string[] = [];
  for (const input of inputs) {
    const { body } = await api.post<DatapointResource>(`/api/datasets/${dataset.id}/datapoints`, {
      kind: { Generic: { input } },
    });
    ids.push(body.id);
  }
  const queue = `/api/datasets/${dataset.id}/queue`;
  const enqueued = await api.post<QueuePage>(queue, { datapoint_ids: ids });
  expect([enqueued.status, enqueued.body.count]).toEqual([201, inputs.length]);
  return { dataset: `/api/datasets/${dataset.id}`, queue, ids, items: enqueued.body.items };
}

const itemOf = async (id: string) => (await api.get<QueueItemResource>(`/api/queue/${id}`)).body;

describeOnBothDatabases('the review queue', ({ takePlace }) => {
  let place: Place | undefined;
  beforeAll(async () => {
    place = await takePlace();
    program = await place.start({ command: 'server' });
    api = program.api;
  });
  afterAll(() => place?.close());

  it('takes a datapoint through a review and writes it back', async () => {
    const { dataset, queue, ids } = await queueOf('first', 'second');
    const version = async () => (await api.get<DatasetResource>(dataset)).body.version;
    const before = await version();

    const { status, body: claimed } = await api.post<QueueItemResource>(`${queue}/next`, { claimed_by: 'ada' });
    expect(status).toBe(200);
    expect(claimed).toMatchObject({ datapoint_id: ids[0], status: 'claimed', claimed_by: 'ada' });
    const others = await api.post(`/api/queue/${claimed.id}/claim`, { claimed_by: 'bob' });
    expect([others.status, others.body.code]).toEqual([409, 'queue_item_already_claimed']);

    const edited = { Generic: { input: 'first', expected_output: 'reviewed' } };
    const submitted = await api.post<QueueItemResource>(`/api/queue/${claimed.id}/submit?apply=true`, {
      edited_data: edited,
    });
    expect([submitted.status, submitted.body.status, submitted.body.edited_data]).toEqual([200, 'completed', edited]);
    expect(submitted.body.original_data).toMatchObject({ Generic: { input: 'first', expected_output: null } });
    const datapoint = await api.get<DatapointResource>(`${dataset}/datapoints/${ids[0]}`);
    expect(datapoint.body.kind).toMatchObject({ Generic: { input: 'first', expected_output: 'reviewed' } });
    expect(await version()).toBe(before + 1);

    const pending = await api.get<QueuePage>(`${queue}?status=pending`);
    expect(pending.body.items.map((item) => item.datapoint_id)).toEqual([ids[1]]);
    expect(pending.body).toMatchObject({ count: 1, next_cursor: null });
  });

  it('takes actions without a body, with and without a media type', async () => {
    const { items } = await queueOf('a', 'b');
    for (const [n, headers] of [{}, { 'content-type': 'application/json' }].entries()) {
      for (const [action, outcome] of [
        ['claim', 'claimed'],
        ['release', 'pending'],
        ['claim', 'claimed'],
        ['submit', 'completed'],
      ]) {
        const url = `/api/queue/${items[n]!.id}/${action}`;
        const { status, body } = await api.send<QueueItemResource>('POST', url, undefined, headers);
        expect([action, status, body.status]).toEqual([action, 200, outcome]);
      }
      expect(await itemOf(items[n]!.id)).toMatchObject({ claimed_by: place!.caller, edited_data: null });
    }
  });

  it('gives one of fifty reviewers the item they all claim', async () => {
    const { items } = await queueOf('contested');
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) => api.post(`/api/queue/${items[0]!.id}/claim`, { claimed_by: `r${n}` })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array.from({ length: 49 }, () => 409)]);
  });

  it('gives every reviewer an item of their own while there are any', async () => {
    const { queue, items } = await queueOf(...Array.from({ length: 20 }, (_, n) => `input ${n}`));
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, n) => api.post<QueueItemResource>(`${queue}/next`, { claimed_by: `r${n}` })),
    );
    const given = answers.filter(({ status }) => status === 200).map(({ body }) => body.id);
    expect(given.toSorted()).toEqual(items.map(({ id }) => id));
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(10);
  });

  it('releases claims that were left lying, and no others', async () => {
    const { items } = await queueOf('stale', 'done');
    const claimedAt = Date.now();
    for (const { id } of items) await api.post(`/api/queue/${id}/claim`, { claimed_by: 'gone' });
    await api.post(`/api/queue/${items[1]!.id}/submit`);
    // The other tests have all the time they need for what they claim.
    const config = join(tempDir(), 'spandrel.yaml');
    writeFileSync(config, `queue:\n  claim_timeout: ${CLAIM_TIMEOUT_MS / 1_000}\n`);
    await program.stop();
    program = await place!.start({ command: 'server', args: ['--config', config] });
    api = program.api;
    await until(async () => (await itemOf(items[0]!.id)).status === 'pending');
    expect(Date.now() - claimedAt).toBeGreaterThanOrEqual(CLAIM_TIMEOUT_MS);
    expect(await itemOf(items[0]!.id)).toEqual(items[0]);
    expect(await itemOf(items[1]!.id)).toMatchObject({ status: 'completed', claimed_by: 'gone' });
  });

  it('loses the items of what is deleted', async () => {
    const { dataset, queue, ids, items } = await queueOf('one', 'two');
    await api.delete(`${dataset}/datapoints/${ids[0]}`);
    expect((await api.get<QueuePage>(queue)).body.items).toEqual([items[1]]);
    await api.delete(dataset);
    expect((await api.get(`/api/queue/${items[1]!.id}`)).body.code).toBe('queue_item_not_found');
    expect((await api.get(queue)).body.code).toBe('dataset_not_found');
  });

  it('stops in good time while it looks for stale claims', async () => {
    expect(await program.stop()).toBe(0);
  });
});
