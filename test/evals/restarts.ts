import { describe, expect, it } from '@jest/globals';
import { ConnectionsSettings } from '@spandrel/connections';
import type { CapabilitiesResource } from '@spandrel/contract';
import { EvalsSettings } from '@spandrel/evals';
import { sql, type StorageConfig } from '@spandrel/storage';
import { until } from '../support/spandrel.ts';
import { startServerApp, type ServerAppOptions } from '../support/server-app.ts';
import { RUN_TIMING, type RunTiming } from '../../libs/evals/src/dispatch/run-dispatch.js';
import { EvalsLab } from './evals-lab.ts';

const SECRET_KEY = Buffer.alloc(32, 7);
const withKey = (key: Buffer): ServerAppOptions => ({
  settings: (settings) => void (settings.of(ConnectionsSettings).secretKey = key),
});

/** The first calls end soon; when the server closes there are others to come, however busy the machine is. */
const unfinished = (): string[] => Array.from({ length: 24 }, (_, i) => `fake:slow:${i < 4 ? 100 : 1_000} ${i}`);

/** @param newDatabase opens a new one. @param all whether what asks no database is shown as well. */
export function restarts(newDatabase: () => Promise<StorageConfig>, all: boolean): void {
  describe('over a restart', () => {
    it('a run goes on from its unfinished items', async () => {
      const config = await newDatabase();
      const lab = await EvalsLab.open(config, withKey(SECRET_KEY));
      const { id } = await lab.dataset(...Array.from({ length: 30 }, (_, i) => `fake:slow:60 ${i}`));
      const { body } = await lab.start(id, { scoring: 'None' });
      await until(async () => (await lab.summary(body.id)).progress >= 6);
      await lab.server.close();
      const started = lab.eventsOf(body.id);
      const server = await startServerApp(config, withKey(SECRET_KEY));
      try {
        const again = lab.on(server);
        const run = await again.ended(body.id);
        expect(run).toMatchObject({ status: 'completed', progress: 30, total: 30, failed_count: 0 });
        // Calls in flight had their time to end, so none was made twice.
        expect([...lab.asked().values()].filter((count) => count > 1)).toEqual([]);
        expect(lab.asked().size).toBe(30);
        const events = [...started, ...again.eventsOf(body.id)];
        expect(events.filter(({ type }) => type === 'eval_started')).toHaveLength(1);
        expect(events.flatMap((event) => (event.type === 'eval_progress' ? [event.progress] : []))).toEqual(
          Array.from({ length: 30 }, (_, i) => i + 1),
        );
      } finally {
        await server.close();
        await lab.provider.close();
      }
    });

    it('no run begins or goes on at a server that is paused; the next one that is not takes them', async () => {
      const config = await newDatabase();
      const lab = await EvalsLab.open(config, withKey(SECRET_KEY));
      // What is held keeps the run from its end, however late the test comes to stop it.
      const { id } = await lab.dataset(
        ...Array.from({ length: 24 }, (_, i) => (i < 4 ? `${i}` : `fake:held+times:1 ${i}`)),
      );
      const { body: old } = await lab.start(id);
      await until(async () => (await lab.summary(old.id)).progress >= 4);
      const closing = lab.server.close();
      const releasing = setInterval(() => lab.provider.release(), 20);
      await closing;
      const asked = lab.provider.requests.length;
      const server = await startServerApp(config, {
        settings: (settings) => {
          settings.of(ConnectionsSettings).secretKey = SECRET_KEY;
          settings.of(EvalsSettings).paused = true;
        },
      });
      const paused = lab.on(server);
      const { body: fresh } = await paused.start(id);
      const left = await paused.read(old.id);
      expect([left.status, fresh.status]).toEqual(['running', 'pending']);
      const { body: capabilities } = await server.api.get<CapabilitiesResource>('/api/capabilities');
      expect(capabilities.evals_paused).toBe(true);
      const { body: stopped } = await paused.start(id);
      expect((await server.api.delete(`/api/eval/${stopped.id}`)).status).toBe(200);
      // Whatever it had begun would have been reported and asked for by the end of its stop.
      await server.close();
      expect([paused.eventsOf(old.id), paused.eventsOf(fresh.id)]).toEqual([[], []]);
      expect(lab.provider.requests.length).toBe(asked);
      const next = await startServerApp(config, withKey(SECRET_KEY));
      try {
        for (const run of [old, fresh]) {
          expect(await lab.on(next).ended(run.id)).toMatchObject({ status: 'completed', progress: 24 });
        }
      } finally {
        clearInterval(releasing);
        await next.close();
        await lab.provider.close();
      }
    });

    it('a run that its process left is taken up once its lease is over', async () => {
      const config = await newDatabase();
      const lab = await EvalsLab.open(config, {
        ...withKey(SECRET_KEY),
        prepare: (app) => void Object.assign(app.get<RunTiming>(RUN_TIMING), { pollMs: 500, sweepMs: 1_000 }),
      });
      try {
        const { id } = await lab.dataset('one', 'two');
        const run = await lab.run(id);
        const left = (leaseUntil: number) =>
          lab.server.storage.write((tx) =>
            tx.run(sql`update eval_run set status = 1, ended_at = null, progress = 0, total = 2, failed_count = 0,
              lease_owner = 'dead', lease_until = ${leaseUntil} where id = ${run.id}`),
          );
        await lab.server.storage.write((tx) => tx.run(sql`delete from eval_result where run_id = ${run.id}`));
        const leaseUntil = Date.now() + 3_000;
        await left(leaseUntil);
        for (;;) {
          const { status } = await lab.read(run.id);
          if (Date.now() >= leaseUntil) break;
          expect(status).toBe('running');
          await new Promise((resolve) => setTimeout(resolve, 100));
        }
        expect((await lab.ended(run.id)).progress).toBe(2);
      } finally {
        await lab.close();
      }
    });

    if (all) withoutWhatItNeeds(newDatabase);
  });
}

/** Runs that cannot go on, as the server does not have any more what it had at their start. */
function withoutWhatItNeeds(newDatabase: () => Promise<StorageConfig>): void {
  it('a run whose connection cannot be opened any more fails, saying so', async () => {
    const config = await newDatabase();
    const lab = await EvalsLab.open(config, withKey(SECRET_KEY));
    const { id } = await lab.dataset(...unfinished());
    const { body } = await lab.start(id);
    await until(async () => (await lab.summary(body.id)).progress >= 1);
    await lab.server.close();
    const server = await startServerApp(config, withKey(Buffer.alloc(32, 8)));
    try {
      const again = lab.on(server);
      const run = await again.ended(body.id);
      expect(run).toMatchObject({ status: 'failed', error: expect.stringContaining('SPANDREL_SECRET_KEY') });
      expect(again.eventsOf(body.id)).toEqual([{ type: 'eval_failed', run_id: body.id, error: run.error }]);
      const { body: next } = await again.start(id);
      expect((await again.ended(next.id)).status).toBe('failed');
    } finally {
      await server.close();
      await lab.provider.close();
    }
  });

  it('a run whose scoring plugin is gone fails, saying so', async () => {
    const config = await newDatabase();
    const lab = await EvalsLab.open(config, withKey(SECRET_KEY));
    const { id } = await lab.dataset(...unfinished());
    const { body } = await lab.start(id, { scoring: 'ExactMatch', allow_unscored: true });
    await until(async () => (await lab.summary(body.id)).progress >= 1);
    await lab.server.close();
    const server = await startServerApp(config, {
      settings: (settings) => {
        settings.of(ConnectionsSettings).secretKey = SECRET_KEY;
        settings.core.plugins = settings.core.plugins.filter(({ use }) => use !== 'exact-match');
      },
    });
    try {
      const again = lab.on(server);
      const run = await again.ended(body.id);
      expect(run).toMatchObject({ status: 'failed', error: 'the scoring plugin ExactMatch is not loaded' });
    } finally {
      await server.close();
      await lab.provider.close();
    }
  });
}
