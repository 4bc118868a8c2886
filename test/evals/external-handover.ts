import { expect, it } from '@jest/globals';
import { ConnectionsSettings } from '@spandrel/connections';
import { EvalsSettings } from '@spandrel/evals';
import type { StorageConfig } from '@spandrel/storage';
import { startServerApp, type ServerApp, type ServerAppOptions } from '../support/server-app.ts';
import { until } from '../support/spandrel.ts';
import { EvalsLab } from './evals-lab.ts';
import { ExternalLab } from './external-lab.ts';

const SECRET_KEY = Buffer.alloc(32, 7);

const options = (evals: Partial<EvalsSettings> = {}): ServerAppOptions => ({
  settings: (settings) => {
    settings.of(ConnectionsSettings).secretKey = SECRET_KEY;
    Object.assign(settings.of(EvalsSettings), evals);
  },
});

/** External runs that one process begins and others finish. */
export function externalHandover(newDatabase: () => Promise<StorageConfig>): void {
  it('an external run begun by one process is finished by another; one that is idle is cancelled once', async () => {
    const config = await newDatabase();
    // It takes results, and scores none.
    const lab = await EvalsLab.open(config, options({ paused: true }));
    const begun = new ExternalLab(lab);
    const judge = { connection_id: lab.connectionId, model: 'fake:judge:0.5' };
    const { id, datapointIds } = await begun.start(['a', 'b', 'c'], { scoring: 'LlmJudge', config: { judge } });
    const results = datapointIds.map((datapointId) => ({ datapoint_id: datapointId, output: 'x' }));
    await begun.add(id, results.slice(0, 2));
    const idle = await begun.start(['a']);
    expect(await begun.items(id, 'status=running')).toHaveLength(2);
    await lab.server.close();
    const opened: ServerApp[] = [await startServerApp(config, options())];
    try {
      const next = lab.on(opened[0]!);
      expect((await new ExternalLab(next).add(id, results)).body).toEqual({ accepted: 3, rejected: [] });
      expect(await next.ended(id)).toMatchObject({ status: 'completed', progress: 3, avg_score: 0.5 });
      const judged = lab.provider.requests.filter(({ body }) => body.toString('utf8').includes(judge.model));
      expect(judged).toHaveLength(3);
      const reported = [...lab.eventsOf(id), ...next.eventsOf(id)].map(({ type }) => type);
      expect(reported.filter((type) => type !== 'eval_progress')).toEqual(['eval_started', 'eval_completed']);
      // Another process can only be there on Postgres.
      if (config.dialect === 'sqlite') await opened.pop()!.close();
      const count = config.dialect === 'sqlite' ? 1 : 2;
      const impatient = () => startServerApp(config, options({ externalIdleMs: 50 }));
      opened.push(...(await Promise.all(Array.from({ length: count }, impatient))));
      const last = lab.on(opened.at(-1)!);
      await until(async () => (await last.summary(idle.id)).status === 'cancelled');
      expect(await last.read(idle.id)).toMatchObject({ stop_reason: 'idle', progress: 0 });
      const ends = opened.flatMap((server) => lab.on(server).eventsOf(idle.id)).map(({ type }) => type);
      expect(ends).toEqual(['eval_cancelled']);
    } finally {
      await Promise.all(opened.map((server) => server.close()));
      await lab.provider.close();
    }
  });
}
