import { beforeAll, describe, expect, it } from '@jest/globals';
import type { SessionResource } from '@spandrel/contract';
import type { TracingApp } from './tracing-app.js';

const at = (minute: number): string => `2026-05-01T00:${String(minute).padStart(2, '0')}:00.000Z`;

interface Turn {
  session: string | null;
  user: string | null;
  minute: number;
}

const TURNS: readonly Turn[] = [
  { session: 'support 100%', user: 'ann', minute: 1 },
  { session: 'support 100%', user: 'Ann', minute: 3 },
  { session: 'support 100%', user: 'ann', minute: 5 },
  { session: ' support', user: 'bob', minute: 2 },
  { session: 'SUPPORT_2', user: null, minute: 4 },
  { session: 'chat', user: 'ann', minute: 6 },
  { session: null, user: 'ann', minute: 7 },
  // Twelve users, the last in the alphabet first.
  ...Array.from({ length: 12 }, (_, n) => ({
    session: 'crowd',
    user: `u${String(11 - n).padStart(2, '0')}`,
    minute: 10 + n,
  })),
];

/** Filters on sessions, and what each shows, on both databases. */
export function sessionLists(app: () => TracingApp): void {
  describe('sessions', () => {
    beforeAll(async () => {
      await app().delete('/api/traces');
      const traces = TURNS.map(({ session, user, minute }, n) => ({
        ...{ id: `turn-${n}`, session_id: session, user_id: user, started_at: at(minute) },
      }));
      const spans = TURNS.map(({ minute }, n) => ({
        ...{ id: `turn-span-${n}`, trace_id: `turn-${n}`, name: 's', started_at: at(minute), ended_at: at(minute) },
        status: n % 2 === 0 ? { failed: { error: 'broken' } } : 'completed',
      }));
      expect((await app().post('/api/ingest', { traces, spans })).body.rejected).toEqual([]);
    });

    const sessions = (query: string, limit = 1): Promise<SessionResource[]> =>
      app().pages<SessionResource>(`/api/sessions?${query}`, 'sessions', limit);
    const ids = async (query: string): Promise<string[]> =>
      (await sessions(query)).map(({ session_id: id }) => id).toSorted();

    it('are found by a literal part of their id', async () => {
      expect(await ids('id_contains=support')).toEqual([' support', 'SUPPORT_2', 'support 100%']);
      expect(await ids('id_contains=0%25')).toEqual(['support 100%']);
      expect(await ids('id_contains=t_2')).toEqual(['SUPPORT_2']);
      expect(await ids('id_contains=%20support')).toEqual([' support']);
      expect(await ids('id_contains=%00')).toEqual([]);
    });

    it('are found by a user exactly, and show all their traces', async () => {
      expect(await ids('user_id=ann')).toEqual(['chat', 'support 100%']);
      expect(await ids('user_id=Ann')).toEqual(['support 100%']);
      expect(await ids('user_id=nobody')).toEqual([]);
      expect(await ids('user_id=%00')).toEqual([]);
      const [found] = await sessions('user_id=Ann');
      expect(found).toMatchObject({ trace_count: 3, span_count: 3, error_count: 2, user_ids: ['ann', 'Ann'] });
    });

    it('are found by the start of their first trace', async () => {
      expect(await ids(`since=${at(2)}&until=${at(5)}`)).toEqual([' support', 'SUPPORT_2']);
      expect(await ids(`until=${at(1)}`)).toEqual([]);
      expect(await ids(`since=${at(6)}`)).toEqual(['chat', 'crowd']);
      expect(await ids(`until=${at(2)}&user_id=ann&id_contains=SUP`)).toEqual(['support 100%']);
    });

    it('name eight users at most, in the order in which they came', async () => {
      const [crowd] = await sessions('id_contains=crowd');
      expect(crowd!.user_ids).toEqual(['u11', 'u10', 'u09', 'u08', 'u07', 'u06', 'u05', 'u04']);
      const all = await sessions('', 100);
      expect(all.find(({ session_id: id }) => id === 'SUPPORT_2')!.user_ids).toEqual([]);
    });

    it('are read from their newest trace, or from their oldest', async () => {
      const of = async (query: string): Promise<string[]> =>
        (await app().pages(`/api/sessions/support%20100%25?${query}`, 'traces', 1)).map(({ id }) => id);
      expect(await of('')).toEqual(['turn-2', 'turn-1', 'turn-0']);
      expect(await of('sort_order=desc')).toEqual(await of(''));
      expect(await of('sort_order=asc')).toEqual((await of('')).toReversed());
      expect((await app().get('/api/sessions/chat?sort_order=up')).status).toBe(400);
      expect((await app().get('/api/sessions/chat?since=2026')).status).toBe(400);
    });

    it('are refused with what is no filter', async () => {
      for (const query of ['since=yesterday', 'id=x', 'user_id=a&user_id=b']) {
        expect([query, (await app().get(`/api/sessions?${query}`)).status]).toEqual([query, 400]);
      }
    });
  });
}
