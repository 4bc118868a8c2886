import { describe, expect, it } from '@jest/globals';
import { createLogger } from '@spandrel/kernel';
import fc from 'fast-check';
import { until } from '../../../../test/support/spandrel.js';
import { CallerKey } from '../access/caller-key.js';
import { Delivery, type IngestAnswer, type IngestClient } from './delivery.js';
import { Spool } from './spool.js';
import { SpoolItem } from './caller-queue.js';

type CallerWeather = 'taken' | 'unavailable' | 'limited' | 'unauthenticated' | 'denied';
type Weather = 'taken' | 'lost' | 'unavailable' | 'too-large' | 'refused' | 'denied';

/** An API that answers by the weather; what is "lost" was taken, but the answer did not arrive. */
function fakeIngest(weather: Weather[], poison: ReadonlySet<string>) {
  const stored = new Map<string, number>();
  const send = (batch: readonly SpoolItem[]): Promise<IngestAnswer> => {
    const now = weather.shift() ?? 'taken';
    if (now === 'unavailable') return Promise.resolve({ kind: 'unavailable', message: 'down', retryAfterMs: null });
    if (now === 'denied') return Promise.resolve({ kind: 'denied', message: 'HTTP 401' });
    if (now === 'too-large' && batch.length > 1) return Promise.resolve({ kind: 'too-large' });
    if (batch.some(({ id, reduced }) => poison.has(id) && !(reduced && id.endsWith('0'))))
      return Promise.resolve({ kind: 'refused', message: 'HTTP 400' });
    for (const { id } of batch) stored.set(id, (stored.get(id) ?? 0) + 1);
    if (now === 'lost') return Promise.resolve({ kind: 'unavailable', message: 'timed out', retryAfterMs: null });
    return Promise.resolve({ kind: 'taken', result: { accepted: { traces: 0, spans: batch.length }, rejected: [] } });
  };
  return {
    stored,
    client: { send, ping: () => Promise.resolve(true), close: () => Promise.resolve() } as unknown as IngestClient,
  };
}

describe('Delivery', () => {
  it('brings every recording over in any weather, or counts it as dropped', async () => {
    const weather = fc.array(
      fc.constantFrom<Weather>('taken', 'lost', 'unavailable', 'too-large', 'refused', 'denied'),
      { maxLength: 12 },
    );
    await fc.assert(
      fc.asyncProperty(
        weather,
        fc.integer({ min: 1, max: 25 }),
        fc.uniqueArray(fc.integer({ min: 0, max: 24 }), { maxLength: 3 }),
        async (days, count, bad) => {
          const dropped: string[] = [];
          const delivered: string[] = [];
          const spool = new Spool(
            { items: 100, bytes: 1e6 },
            { onDropped: ({ id }) => dropped.push(id), onDelivered: ({ id }) => delivered.push(id) },
          );
          const poison = new Set(bad.map(String));
          const { client, stored } = fakeIngest(days, poison);
          const delivery = new Delivery(spool, client, createLogger('silent', 'test'), {
            flushMs: 1,
            itemsMax: 7,
            retryMs: 1,
            retryMaxMs: 2,
            deniedMs: 2,
          });
          for (let i = 0; i < count; i++) {
            spool.add(
              new SpoolItem(null, `${i}`, null, JSON.stringify({ id: `${i}`, input: 'text', metadata: {} }), true),
            );
            delivery.wakeAll();
          }
          expect(await delivery.flush(60_000)).toBe(true);
          delivery.close();
          const unacceptable = [...poison].filter((id) => Number(id) < count && !id.endsWith('0'));
          expect(dropped.sort()).toEqual(unacceptable.sort());
          expect(delivered).toHaveLength(count - unacceptable.length);
          expect(new Set(delivered).size).toBe(delivered.length);
          expect(stored.size).toBe(count - unacceptable.length);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('brings each recording over under its own credential, whatever becomes of others', async () => {
    const names = ['a', 'b', 'c'];
    const weather = fc.array(
      fc.tuple(
        fc.constantFrom(...names),
        fc.constantFrom<CallerWeather>('taken', 'unavailable', 'limited', 'unauthenticated', 'denied'),
      ),
      { maxLength: 12 },
    );
    await fc.assert(
      fc.asyncProperty(
        weather,
        fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 20 }),
        async (days, of) => {
          const dropped: string[] = [];
          const delivered: string[] = [];
          const refused = new Set<string>();
          const spool = new Spool(
            { items: 100, bytes: 1e6 },
            {
              onDropped: ({ id }, reason) => dropped.push(`${id} ${reason}`),
              onDelivered: ({ id }) => delivered.push(id),
            },
          );
          const send = (batch: readonly SpoolItem[], caller: CallerKey | null): Promise<IngestAnswer> => {
            expect(batch.every((item) => item.caller === caller)).toBe(true);
            const at = days.findIndex(([name]) => name === caller!.digest);
            const now = at === -1 ? 'taken' : days.splice(at, 1)[0]![1];
            if (now === 'unauthenticated') refused.add(caller!.digest);
            return Promise.resolve(answers[now](batch.length));
          };
          const delivery = new Delivery(spool, { send } as unknown as IngestClient, createLogger('silent', 'test'), {
            flushMs: 1,
            itemsMax: 3,
            retryMs: 1,
            retryMaxMs: 2,
            deniedMs: 2,
          });
          const callers = new Map(names.map((name) => [name, new CallerKey(name, name)]));
          of.forEach((name, i) => spool.add(new SpoolItem(callers.get(name)!, `${name}${i}`, null, '{}', true)));
          delivery.wakeAll();
          expect(await delivery.flush(60_000)).toBe(true);
          delivery.close();
          expect(delivered.length + dropped.length).toBe(of.length);
          expect(dropped.every((loss) => refused.has(loss[0]!) && loss.endsWith(' unauthorized'))).toBe(true);
        },
      ),
      { numRuns: 40 },
    );
  });

  it.each<[string, (batch: readonly SpoolItem[]) => boolean, number]>([
    ['of which the API does not take a full batch in time', (batch) => batch.length > 3, 0],
    ['behind one by which the API fails', (batch) => batch.some(({ id }) => id === '0'), 1],
  ])('brings recordings over %s', async (_what, fails, left) => {
    const observer = { onDropped: () => undefined, onDelivered: () => undefined };
    const spool = new Spool({ items: 100, bytes: 1e6 }, observer);
    const send = async (batch: readonly SpoolItem[]): Promise<IngestAnswer> =>
      answers[fails(batch) ? 'unavailable' : 'taken'](batch.length);
    const delivery = new Delivery(spool, { send } as unknown as IngestClient, createLogger('silent', 'test'), {
      ...{ flushMs: 1, itemsMax: 16, retryMs: 1, retryMaxMs: 2 },
    });
    for (let i = 0; i < 50; i++) spool.add(new SpoolItem(null, `${i}`, null, '{}', true));
    delivery.wakeAll();
    await until(() => spool.count === left);
    delivery.close();
  });

  it('gives up what waits for a key that nobody brings', async () => {
    const dropped: string[] = [];
    const spool = new Spool(
      { items: 10, bytes: 100 },
      { onDropped: (_, reason) => dropped.push(reason), onDelivered: () => undefined },
    );
    const send = (): never => {
      throw new Error('sent');
    };
    const logger = createLogger('silent', 'test');
    const delivery = new Delivery(spool, { send } as unknown as IngestClient, logger, { flushMs: 1, keylessMs: 20 });
    spool.add(new SpoolItem(new CallerKey('a', null), '1', null, '{}', true));
    delivery.wakeAll();
    await until(() => dropped.length > 0);
    expect(dropped).toEqual(['unauthorized']);
    delivery.close();
  });
});

const answers: Record<CallerWeather, (spans: number) => IngestAnswer> = {
  taken: (spans) => ({ kind: 'taken', result: { accepted: { traces: 0, spans }, rejected: [] } }),
  unavailable: () => ({ kind: 'unavailable', message: 'down', retryAfterMs: null }),
  limited: () => ({ kind: 'limited', retryAfterMs: 1 }),
  unauthenticated: () => ({ kind: 'unauthenticated' }),
  denied: () => ({ kind: 'denied', message: 'HTTP 403' }),
};
