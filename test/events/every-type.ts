import { afterEach, describe, expect, it } from '@jest/globals';
import { type Settings } from '@spandrel/kernel';
import { ConnectionsSettings } from '@spandrel/connections';
import {
  EVENT_TYPES,
  eventInViewSchema,
  eventPayloadSchema,
  type CaptureRuleResource,
  type DatapointResource,
  type DatasetResource,
  type EventOutline,
  type EventPayload,
  type QueueItemResource,
  type SpanResource,
} from '@spandrel/contract';
import type { StorageConfig } from '@spandrel/storage';
import { EvalsLab } from '../evals/evals-lab.ts';
import { startServerApp, type ServerApp } from '../support/server-app.ts';
import { outlineOf } from '../support/outline-of.ts';
import { until } from '../support/spandrel.ts';
import { EventClient, range } from './event-client.ts';

const withKey = (byte: number) => ({
  settings: (settings: Settings) => void (settings.of(ConnectionsSettings).secretKey = Buffer.alloc(32, byte)),
});

/** Everything that the stream reports, by the requests that cause it. */
export function describeEveryType(newDatabase: () => Promise<StorageConfig>): void {
  describe('every type of event', () => {
    const cleanUps: (() => unknown)[] = [];
    afterEach(async () => {
      for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
    });

    it('comes once for what a client did, with what the client sees by reading', async () => {
      const config = await newDatabase();
      const lab = await EvalsLab.open(config, withKey(1));
      cleanUps.push(() => lab.close());
      const live = await EventClient.open(lab.server.url);
      const outlined = await EventClient.open(lab.server.url, { query: 'view=outline' });
      const { api } = lab;
      const seen = new Seen(live);

      const { body: trace } = await api.post<{ id: string }>('/api/traces', { name: 'n', tags: ['a'] });
      expect(await seen.next()).toEqual({
        type: 'trace_created',
        trace: expect.objectContaining({ id: trace.id, name: 'n', tags: ['a'] }),
      });
      const read = async (id: string): Promise<SpanResource> => (await api.spans()).find((span) => span.id === id)!;
      const span = async (name: string): Promise<SpanResource> => {
        const { body } = await api.post<{ id: string }>('/api/spans', {
          trace_id: trace.id,
          name,
          input: { q: 'ä\n"' },
        });
        return read(body.id);
      };
      const [one, two] = [await span('one'), await span('two')];
      expect(await seen.next()).toEqual({ type: 'span_created', span: one });
      expect(await seen.next()).toEqual({ type: 'span_created', span: two });
      await api.post(`/api/spans/${two.id}/fail`, { error: 'broke' });
      expect(await seen.next()).toEqual({ type: 'span_failed', span: await read(two.id) });

      const { body: dataset } = await api.post<DatasetResource>('/api/datasets', { name: 'd' });
      expect(await seen.next()).toEqual({ type: 'dataset_created', dataset });
      const { body: rule } = await api.post<CaptureRuleResource>(`/api/datasets/${dataset.id}/capture-rules`, {
        name: 'r',
        filters: { status: 'completed' },
      });
      await api.post(`/api/spans/${one.id}/complete`, { output: 'a' });
      expect(await seen.next()).toEqual({ type: 'span_completed', span: await read(one.id) });
      const captured = [await seen.next(), await seen.next()];
      const { body: held } = await api.get<{ datapoints: DatapointResource[] }>(
        `/api/datasets/${dataset.id}/datapoints`,
      );
      const [datapoint] = held.datapoints;
      expect(captured).toContainEqual({ type: 'datapoint_created', datapoint });
      expect(captured).toContainEqual({
        type: 'capture_triggered',
        rule_id: rule.id,
        span_id: one.id,
        datapoint_id: datapoint!.id,
      });

      const { body: queued } = await api.post<{ items: QueueItemResource[] }>(`/api/datasets/${dataset.id}/queue`, {
        datapoint_ids: [datapoint!.id],
      });
      const { body: claimed } = await api.post<QueueItemResource>(`/api/queue/${queued.items[0]!.id}/claim`);
      expect(await seen.next()).toEqual({ type: 'queue_item_updated', item: claimed });

      const { body: run } = await lab.start(dataset.id);
      expect(await seen.next()).toEqual({ type: 'eval_started', run_id: run.id, dataset_id: dataset.id });
      const processed = { progress: 1, total: 1, sample_progress: 1, sample_total: 1 };
      expect(await seen.next()).toEqual({ type: 'eval_progress', run_id: run.id, ...processed });
      expect(await seen.next()).toEqual({ type: 'eval_completed', run_id: run.id });

      await api.delete(`/api/spans/${two.id}`);
      expect(await seen.next()).toEqual({ type: 'span_deleted', span_id: two.id });
      await api.delete(`/api/traces/${trace.id}`);
      expect(await seen.next()).toEqual({ type: 'trace_deleted', trace_id: trace.id });
      await api.delete(`/api/datasets/${dataset.id}`);
      expect(await seen.next()).toEqual({ type: 'dataset_deleted', dataset_id: dataset.id });
      await api.delete('/api/traces');
      expect(await seen.next()).toEqual({ type: 'cleared' });

      const slow = await lab.dataset(...range(1, 20).map((n) => `fake:slow:200 ${n}`));
      const { body: cancelled } = await lab.start(slow.id);
      await until(async () => (await lab.read(cancelled.id)).status === 'running');
      await api.post(`/api/eval/${cancelled.id}/cancel`);
      await until(() => live.types.includes('eval_cancelled'));
      expect(live.payloads).toContainEqual({ type: 'eval_cancelled', run_id: cancelled.id });

      // A run whose connection cannot be opened any more fails, on a server that is started again.
      const { body: doomed } = await lab.start(slow.id);
      await until(async () => (await lab.read(doomed.id)).progress >= 1);
      await lab.server.close();
      await live.ended();
      const again: ServerApp = await startServerApp(config, withKey(2));
      cleanUps.push(() => again.close());
      const resumed = await EventClient.open(again.url, { headers: { 'last-event-id': String(live.ids.at(-1)) } });
      await until(() => resumed.types.includes('eval_failed'), 20_000);
      expect(resumed.payloads).toContainEqual({ type: 'eval_failed', run_id: doomed.id, error: expect.any(String) });

      const all = [...live.payloads, ...resumed.payloads];
      expect([...live.ids, ...resumed.ids]).toEqual(range(1, all.length));
      for (const event of all) expect(eventPayloadSchema.safeParse(event).error).toBeUndefined();
      expect(new Set(all.map(({ type }) => type))).toEqual(new Set(EVENT_TYPES));
      // Without texts they are the same events, live and from the log.
      const outlines = await EventClient.open(again.url, { query: 'since=0&view=outline' });
      await outlines.has(all.length);
      expect(outlines.events.slice(0, outlined.events.length)).toEqual(outlined.events);
      expect(outlines.ids).toEqual(range(1, all.length));
      expect(outlines.payloads).toEqual(all.map(outlineOfEvent));
      for (const event of outlines.payloads) expect(eventInViewSchema.safeParse(event).error).toBeUndefined();
      outlines.close();
      // A client of one trace gets the events that name it, and those that may be of any.
      const ofTrace = await EventClient.open(again.url, { query: `since=0&trace_id=${trace.id}` });
      await until(() => ofTrace.types.includes('cleared'));
      expect(ofTrace.types).toEqual([
        ...['trace_created', 'span_created', 'span_created', 'span_failed', 'span_completed', 'span_deleted'],
        ...['trace_deleted', 'cleared'],
      ]);
      ofTrace.close();
      // Filtered by each type, the log has what was live.
      for (const type of EVENT_TYPES) {
        const wanted = [...live.events, ...resumed.events].filter((_, index) => all[index]!.type === type);
        const client = await EventClient.open(again.url, { query: `since=0&types=${type}` });
        await client.has(wanted.length);
        expect(client.events).toEqual(wanted);
        client.close();
      }
      resumed.close();
    });
  });
}

/** Takes events one by one. */
class Seen {
  private at = 0;
  private readonly client: EventClient;

  constructor(client: EventClient) {
    this.client = client;
  }

  async next(): Promise<EventPayload> {
    await this.client.has(++this.at);
    return this.client.payloads[this.at - 1]!;
  }
}

/** An event without its texts, by the words of docs/spec/events.md. */
function outlineOfEvent(event: EventPayload): EventOutline {
  if ('span' in event) return { ...event, span: outlineOf(event.span) };
  if (event.type === 'datapoint_created') {
    const { kind: _kind, ...datapoint } = event.datapoint;
    return { ...event, datapoint };
  }
  if (event.type === 'queue_item_updated') {
    const { original_data: _original, edited_data: _edited, ...item } = event.item;
    return { ...event, item };
  }
  return event;
}
