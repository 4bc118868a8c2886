import { describe, expect, it } from '@jest/globals';
import { parseExactJson, type DatapointKind } from '@spandrel/contract';
import { THOROUGH } from '../support/repetitions.ts';
import { generic, shown, type QueueAnswer, type QueueApp } from './queue-app.js';

const ULID = /^[0-9A-HJKMNP-TV-Z]{26}$/;
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
const codeOf = ({ status, body }: QueueAnswer): [number, string] => [status, body.code];

/** Values that JSON and databases like to change. */
const EXACT =
  '{"n":12345678901234567890123,"f":0.1000000000000000000001,"z":"a\\u0000b","s":"\\ud800","__proto__":{"x":1}}';

/** What the length of texts decides, which is counted in the program: one database shows it. */
export function queueSizes(app: () => QueueApp): void {
  it('enqueue refuses what would be too large an answer, whole', async () => {
    const large = 'x'.repeat(9 << 20);
    const { id, ids } = await app().dataset(Array.from({ length: 8 }, (_, n) => generic(large + n)));
    const answer = await app().post(`/api/datasets/${id}/queue`, { datapoint_ids: ids });
    expect(codeOf(answer)).toEqual([413, 'payload_too_large']);
    expect((await app().get(`/api/datasets/${id}/queue`)).body.count).toBe(0);
  });
}

export function queueRules(app: () => QueueApp): void {
  describe('enqueue', () => {
    it('makes one pending item for each datapoint, in the order of first mention', async () => {
      const { id, ids } = await app().dataset([generic('a'), generic('b'), generic('c')]);
      const mentioned = [ids[2]!, ids[0]!, ids[2]!, ids[0]!];
      const { status, body } = await app().post(`/api/datasets/${id}/queue`, { datapoint_ids: mentioned });
      const item = (n: number, input: string) => ({
        id: expect.stringMatching(ULID),
        dataset_id: id,
        datapoint_id: ids[n],
        status: 'pending',
        claimed_by: null,
        claimed_by_name: null,
        claimed_at: null,
        original_data: shown(input),
        edited_data: null,
        created_at: expect.stringMatching(TIMESTAMP),
      });
      expect([status, body]).toEqual([201, { items: [item(2, 'c'), item(0, 'a')], count: 2 }]);
      expect((await app().get(`/api/queue/${body.items[0]!.id}`)).body).toEqual(body.items[0]);
      expect(await app().events(id)).toEqual([]);
    });

    it('answers with the open item of a datapoint, and makes another after that is completed', async () => {
      const { id, ids } = await app().queue(2);
      const [first] = await app().enqueue(id, [ids[0]!]);
      await app().post(`/api/queue/${first}/claim`, { claimed_by: 'ada' });
      const again = await app().post(`/api/datasets/${id}/queue`, { datapoint_ids: [ids[1], ids[0]] });
      expect(again.body).toMatchObject({ existing: 2 });
      expect(again.body.items.map((item) => [item.datapoint_id, item.status, item.claimed_by])).toEqual([
        [ids[1], 'pending', null],
        [ids[0], 'claimed', 'ada'],
      ]);
      await app().post(`/api/queue/${first}/submit`, {});
      const [second] = await app().enqueue(id, [ids[0]!]);
      expect(second).not.toBe(first);
      expect((await app().get(`/api/datasets/${id}/queue`)).body.count).toBe(3);
    });

    it('enqueues nothing when ids are unknown, and lists them', async () => {
      const { id, ids } = await app().dataset(1);
      const other = await app().dataset(1);
      const mentioned = [ids[0], 'nope', other.ids[0], 'nope', 'a\0b', '\ud800'];
      const answer = await app().post(`/api/datasets/${id}/queue`, { datapoint_ids: mentioned });
      expect(codeOf(answer)).toEqual([404, 'datapoint_not_found']);
      expect(answer.body.errors).toEqual([
        { path: 'datapoint_ids[1]', message: 'there is no datapoint "nope" in this dataset' },
        { path: 'datapoint_ids[2]', message: `there is no datapoint "${other.ids[0]}" in this dataset` },
        { path: 'datapoint_ids[4]', message: 'there is no datapoint "a\\u0000b" in this dataset' },
        { path: 'datapoint_ids[5]', message: 'there is no datapoint "\\ud800" in this dataset' },
      ]);
      expect((await app().get(`/api/datasets/${id}/queue`)).body.count).toBe(0);
    });

    it('takes as many datapoints as a request may name', async () => {
      const { id, ids } = await app().dataset(THOROUGH ? 10_000 : 500);
      const mentioned = Array.from({ length: 10_000 }, (_, n) => ids.at(-1 - (n % ids.length))!);
      const { status, body } = await app().post(`/api/datasets/${id}/queue`, { datapoint_ids: mentioned });
      expect([status, body.count]).toEqual([201, ids.length]);
      expect(body.items.map((item) => item.datapoint_id)).toEqual(ids.toReversed());
      const tooMany = { datapoint_ids: [...mentioned, ids[0]] };
      expect(codeOf(await app().post(`/api/datasets/${id}/queue`, tooMany))).toEqual([400, 'validation_failed']);
    });

    it('takes an empty list, and nothing that is no list', async () => {
      const { id } = await app().dataset(0);
      const empty = await app().post(`/api/datasets/${id}/queue`, { datapoint_ids: [] });
      expect([empty.status, empty.body]).toEqual([201, { items: [], count: 0 }]);
      for (const body of [undefined, {}, { datapoint_ids: 'x' }, { datapoint_ids: [1] }]) {
        expect(codeOf(await app().post(`/api/datasets/${id}/queue`, body))).toEqual([400, 'validation_failed']);
      }
    });

    it('keeps the datapoint as it was', async () => {
      const kind = parseExactJson(`{"Generic":{"input":${EXACT},"extra":[1]}}`) as unknown as DatapointKind;
      const { items } = await app().queue([kind]);
      const { text } = await app().get(`/api/queue/${items[0]}`);
      expect(text).toContain(`"original_data":{"Generic":{"input":${EXACT},`);
    });
  });

  describe('claim', () => {
    it('takes a reviewer, or the caller when none is named', async () => {
      const { id, items } = await app().queue(4);
      const named = await app().post(`/api/queue/${items[0]}/claim`, { claimed_by: ' Ada ' });
      expect(named.status).toBe(200);
      expect(named.body).toMatchObject({
        status: 'claimed',
        claimed_by: ' Ada ',
        claimed_at: expect.stringMatching(TIMESTAMP),
      });
      for (const [n, body] of [undefined, {}, { claimed_by: null }].entries()) {
        expect((await app().post(`/api/queue/${items[n + 1]}/claim`, body)).body.claimed_by).toBe('local');
      }
      expect((await app().events(id))[0]).toEqual(named.body);
      expect(await app().events(id)).toHaveLength(4);
    });

    it('changes nothing for the same reviewer, and is refused to others', async () => {
      const { id, items } = await app().queue(1);
      const first = await app().post(`/api/queue/${items[0]}/claim`, { claimed_by: 'ada' });
      const again = await app().post(`/api/queue/${items[0]}/claim`, { claimed_by: 'ada' });
      expect([again.status, again.body]).toEqual([200, first.body]);
      expect(codeOf(await app().post(`/api/queue/${items[0]}/claim`, { claimed_by: 'bob' }))).toEqual([
        409,
        'queue_item_already_claimed',
      ]);
      expect(await app().events(id)).toHaveLength(1);
    });

    it.each([
      ['empty', ''],
      ['with a NUL', 'a\0b'],
      ['with a lone surrogate', '\ud800'],
      ['too long', 'x'.repeat(513)],
      ['not a text', 7],
    ])('refuses a reviewer that is %s', async (_what, reviewer) => {
      const { id, items } = await app().queue(1);
      for (const url of [`/api/queue/${items[0]}/claim`, `/api/datasets/${id}/queue/next`]) {
        expect(codeOf(await app().post(url, { claimed_by: reviewer }))).toEqual([400, 'validation_failed']);
      }
    });

    it('is lost whole when its event cannot be reported', async () => {
      const { id, items } = await app().queue(1);
      app().poisoned = items[0]!;
      const lost = await app().post(`/api/queue/${items[0]}/claim`);
      app().poisoned = undefined;
      expect(lost.status).toBe(500);
      expect((await app().get(`/api/queue/${items[0]}`)).body.status).toBe('pending');
      expect(await app().events(id)).toEqual([]);
    });
  });

  describe('release', () => {
    it('makes a claimed item pending again, for anyone', async () => {
      const { id, items } = await app().queue(1);
      expect(codeOf(await app().post(`/api/queue/${items[0]}/release`))).toEqual([409, 'queue_item_not_claimed']);
      await app().post(`/api/queue/${items[0]}/claim`, { claimed_by: 'ada' });
      const { status, body } = await app().post(`/api/queue/${items[0]}/release`);
      expect([status, body.status, body.claimed_by, body.claimed_at]).toEqual([200, 'pending', null, null]);
      expect((await app().post(`/api/queue/${items[0]}/claim`, { claimed_by: 'bob' })).status).toBe(200);
      expect((await app().events(id)).map((item) => item.claimed_by)).toEqual(['ada', null, 'bob']);
    });
  });

  describe('submit', () => {
    it('completes a claimed item once, no matter who submits it', async () => {
      const { id, items } = await app().queue(1);
      const url = `/api/queue/${items[0]}`;
      expect(codeOf(await app().post(`${url}/submit`, {}))).toEqual([409, 'queue_item_not_claimed']);
      const claim = await app().post(`${url}/claim`, { claimed_by: 'ada' });
      const { status, body } = await app().post(`${url}/submit`, { edited_data: { any: ['json', 1] } });
      expect(status).toBe(200);
      expect(body).toEqual({ ...claim.body, status: 'completed', edited_data: { any: ['json', 1] } });
      for (const action of ['claim', 'release', 'submit']) {
        expect(codeOf(await app().post(`${url}/${action}`))).toEqual([409, 'queue_item_completed']);
      }
      expect((await app().events(id)).map((item) => item.status)).toEqual(['claimed', 'completed']);
    });

    it.each([
      ['no body', undefined, null],
      ['no edited data', {}, null],
      ['null', { edited_data: null }, null],
      ['false', { edited_data: false }, false],
      ['an empty text', { edited_data: '' }, ''],
    ])('keeps %s as what it is', async (_what, body, kept) => {
      const { items } = await app().queue(1);
      await app().post(`/api/queue/${items[0]}/claim`);
      expect((await app().post(`/api/queue/${items[0]}/submit?apply=true`, body)).status).toBe(200);
      expect((await app().get(`/api/queue/${items[0]}`)).body.edited_data).toEqual(kept);
    });

    it('keeps edited data exactly', async () => {
      const { id, items } = await app().queue(1);
      await app().post(`/api/queue/${items[0]}/claim`);
      const submitted = await app().post(`/api/queue/${items[0]}/submit`, `{"edited_data":${EXACT}}`);
      expect(submitted.text).toContain(`"edited_data":${EXACT}`);
      expect((await app().get(`/api/queue/${items[0]}`)).text).toBe(submitted.text);
      expect(JSON.stringify((await app().events(id)).at(-1))).toBe(submitted.text);
    });

    it('writes a valid kind back to the datapoint when asked to', async () => {
      const { id, ids, items } = await app().queue([generic('before')]);
      const before = await app().datapoint(id, ids[0]!);
      await app().post(`/api/queue/${items[0]}/claim`);
      const kind = `{"Generic":{"input":${EXACT},"score":0.5}}`;
      const { status, body } = await app().post(`/api/queue/${items[0]}/submit?apply=true`, `{"edited_data":${kind}}`);
      expect([status, body]).toMatchObject([200, { status: 'completed' }]);
      expect(body.original_data).toEqual(shown('before'));
      const after = await app().datapoint(id, ids[0]!);
      expect(after!.version).toBe(before!.version + 1);
      expect(JSON.stringify(after!.kind)).toContain(`{"Generic":{"input":${EXACT},`);
      expect(after!.kind).toMatchObject({ Generic: { score: 0.5 } });
    });

    it.each([
      ['asked not to', '?apply=false', generic('after')],
      ['not asked to', '', generic('after')],
      ['it is no kind', '?apply=true', { Generic: {} }],
      ['it is two kinds', '?apply=true', { ...generic('after'), LlmConversation: { messages: [] } }],
      ['its score is out of range', '?apply=true', { Generic: { input: 'after', score: 2 } }],
      ['there is none', '?apply=true', undefined],
    ])('leaves the datapoint alone when %s', async (_what, query, edited) => {
      const { id, ids, items } = await app().queue([generic('before')]);
      const before = await app().datapoint(id, ids[0]!);
      await app().post(`/api/queue/${items[0]}/claim`);
      const { status, body } = await app().post(`/api/queue/${items[0]}/submit${query}`, { edited_data: edited });
      expect([status, body.edited_data]).toEqual([200, edited ?? null]);
      if (query === '?apply=true') expect(body).toMatchObject({ applied: false });
      expect(await app().datapoint(id, ids[0]!)).toEqual(before);
    });

    it('applies nothing when it is refused', async () => {
      const { id, ids, items } = await app().queue([generic('before')]);
      const url = `/api/queue/${items[0]}/submit?apply=true`;
      expect(codeOf(await app().post(url, { edited_data: generic('after') }))).toEqual([409, 'queue_item_not_claimed']);
      expect((await app().datapoint(id, ids[0]!))!.kind).toEqual(shown('before'));
      await app().post(`/api/queue/${items[0]}/claim`);
      expect(codeOf(await app().post(`/api/queue/${items[0]}/submit?apply=yes`))).toEqual([400, 'validation_failed']);
      app().poisoned = items[0]!;
      expect((await app().post(url, { edited_data: generic('after') })).status).toBe(500);
      app().poisoned = undefined;
      expect((await app().datapoint(id, ids[0]!))!.kind).toEqual(shown('before'));
      expect((await app().get(`/api/queue/${items[0]}`)).body.status).toBe('claimed');
    });
  });

  describe('next', () => {
    it('claims the oldest pending item until none is left', async () => {
      const { id, items } = await app().queue(3);
      await app().post(`/api/queue/${items[0]}/claim`, { claimed_by: 'bob' });
      const next = (body?: unknown) => app().post(`/api/datasets/${id}/queue/next`, body);
      const first = await next({ claimed_by: 'ada' });
      expect([first.status, first.body.id, first.body.claimed_by]).toEqual([200, items[1], 'ada']);
      await app().post(`/api/queue/${items[0]}/release`);
      expect((await next()).body).toMatchObject({ id: items[0], status: 'claimed', claimed_by: 'local' });
      expect((await next()).body.id).toBe(items[2]);
      expect(codeOf(await next())).toEqual([404, 'queue_item_not_found']);
      expect((await app().events(id)).map((item) => item.id)).toEqual([0, 1, 0, 0, 2].map((n) => items[n]));
    });
  });

  describe('next with items left out', () => {
    it('gives the oldest of the others, and says when there are only excluded ones', async () => {
      const { id, items } = await app().queue(3);
      const next = (exclude: unknown) => app().post(`/api/datasets/${id}/queue/next`, { exclude });
      expect((await next([items[0], items[1]])).body.id).toBe(items[2]);
      // Ids of nothing, also such as no column can hold, leave nothing out.
      expect((await next(['nope', 'a\0b', items[1]])).body.id).toBe(items[0]);
      const none = await next([items[1]]);
      expect(codeOf(none)).toEqual([404, 'queue_item_not_found']);
      expect(none.text).toContain('but excluded ones');
      expect((await next([])).body.id).toBe(items[1]);
      const nothing = await next([]);
      expect([nothing.status, nothing.text.includes('excluded')]).toEqual([404, false]);
    });

    it('takes a thousand ids and no more', async () => {
      const { id, items } = await app().queue(1_001);
      const next = (exclude: unknown) => app().post(`/api/datasets/${id}/queue/next`, { exclude });
      expect((await next(items.slice(0, 1_000))).body.id).toBe(items[1_000]);
      for (const exclude of [items, items[0], [1], null]) {
        expect(codeOf(await next(exclude))).toEqual([400, 'validation_failed']);
      }
    });
  });

  describe('what is not there', () => {
    const bodies: Record<string, unknown> = { queue: { datapoint_ids: [] } };
    it.each(['nope', 'a%00b'])('is not found: %s', async (id) => {
      expect((await app().get(`/api/queue/${id}`)).status).toBe(404);
      for (const action of ['claim', 'release', 'submit', 'submit?apply=true']) {
        const { status } = await app().post(`/api/queue/${id}/${action}`, { edited_data: generic('x') });
        expect([action, status]).toEqual([action, 404]);
      }
      for (const path of ['queue', 'queue/next']) {
        expect((await app().post(`/api/datasets/${id}/${path}`, bodies[path] ?? {})).status).toBe(404);
      }
      expect((await app().get(`/api/datasets/${id}/queue`)).status).toBe(404);
    });

    it('says what is missing', async () => {
      expect(codeOf(await app().post('/api/queue/nope/submit?apply=true', { edited_data: generic('x') }))).toEqual([
        404,
        'queue_item_not_found',
      ]);
      expect(codeOf(await app().post('/api/datasets/nope/queue/next'))).toEqual([404, 'dataset_not_found']);
      expect(codeOf(await app().get('/api/datasets/nope/queue'))).toEqual([404, 'dataset_not_found']);
    });

    it('is what belongs to another project', async () => {
      const { id, ids, items } = await app().queue(2);
      await app().post(`/api/queue/${items[1]}/claim`);
      const stranger = (method: 'GET' | 'POST', url: string, body?: unknown) =>
        app().call(method, url, body, 'stranger');
      expect((await stranger('GET', '/api/queue')).body.count).toBe(0);
      expect((await stranger('GET', '/api/count/queue')).text).toBe('{"datasets":[],"count":0}');
      expect((await stranger('GET', `/api/datasets/${id}/queue`)).status).toBe(404);
      expect((await stranger('POST', `/api/datasets/${id}/queue`, { datapoint_ids: ids })).status).toBe(404);
      expect((await stranger('POST', `/api/datasets/${id}/queue/next`)).status).toBe(404);
      for (const item of items) {
        expect((await stranger('GET', `/api/queue/${item}`)).status).toBe(404);
        for (const action of ['claim', 'release', 'submit', 'submit?apply=true']) {
          expect((await stranger('POST', `/api/queue/${item}/${action}`, {})).status).toBe(404);
        }
      }
      const { body } = await app().get(`/api/datasets/${id}/queue`);
      expect(body.items.map(({ status }) => status)).toEqual(['pending', 'claimed']);
    });
  });

  describe('deletes', () => {
    it('of a datapoint take its items along, open and completed', async () => {
      const { id, ids, items } = await app().queue(2);
      await app().post(`/api/queue/${items[0]}/claim`);
      await app().post(`/api/queue/${items[0]}/submit`, {});
      await app().enqueue(id, [ids[0]!]);
      await app().deleteDatapoint(id, ids[0]!);
      const { body } = await app().get(`/api/datasets/${id}/queue`);
      expect(body.items.map((item) => item.id)).toEqual([items[1]]);
      expect((await app().post(`/api/queue/${items[0]}/claim`)).status).toBe(404);
    });

    it('of a dataset take all its items along and no others', async () => {
      const gone = await app().queue(3);
      const stays = await app().queue(1);
      await app().deleteDataset(gone.id);
      expect((await app().get(`/api/queue/${gone.items[0]}`)).status).toBe(404);
      expect((await app().get(`/api/queue/${stays.items[0]}`)).status).toBe(200);
      const left = (await app().pages('/api/queue', 1000)).map((item) => item.dataset_id);
      expect(left).toContain(stays.id);
      expect(left).not.toContain(gone.id);
    });
  });
}
