import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { codeFile, PLUGINS, TaskFailure, TaskPool, type LoadedScorer, type PluginRegistry } from '@spandrel/kernel';
import type { Score, Scorer, ScorerConfigFault, ScoreSample } from '@spandrel/plugin-api';
import type { ThreadSample, ThreadScore } from './score-output.thread.js';

/** How long a scorer in a thread may take over an output (docs/plugins.md). */
const DEADLINE_MS = 10_000;

/** Has scorers that may compute for long do so in threads with a deadline (docs/adr/0054-threads-with-a-deadline.md). */
@Injectable()
export class ScoringThreads implements OnApplicationShutdown {
  private readonly pool: TaskPool<typeof import('./score-output.thread.js')>;

  constructor(@Inject(PLUGINS) plugins: Pick<PluginRegistry, 'scorers'>) {
    const entries = plugins.scorers.filter(({ extension }) => extension.inThread).map(({ entry }) => entry);
    const file = codeFile('libs/evals/src/execution/score-output.thread.ts');
    // A run has as many outputs here as it has scored at once.
    this.pool = new TaskPool({ file, threadsMax: 2, queueMax: Infinity, data: { plugins: entries } });
  }

  /** A scorer that scores in a thread where it wants to. @param project whose outputs they are. */
  place(project: string, { name, extension }: Pick<LoadedScorer, 'name' | 'extension'>, config: unknown): Scorer {
    if (!extension.inThread) return extension;
    const configText = JSON.stringify(config);
    const score = ({ input, output, expected, rubric, latencyMs, cost }: ScoreSample): Promise<Score> => {
      const sample = JSON.stringify({ input, output, expected, rubric, latencyMs, cost });
      return this.score(project, { scoring: name, config: configText, sample });
    };
    return { needsExpected: extension.needsExpected, inThread: true, score };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool.close();
  }

  /** What a scorer that scores in a thread finds wrong with its config, at paths of it; of others nothing. */
  async findConfigFaults(
    group: string,
    { name, extension }: Pick<LoadedScorer, 'name' | 'extension'>,
    config: unknown,
  ): Promise<readonly ScorerConfigFault[]> {
    if (!extension.inThread) return [];
    try {
      const scorer = { scoring: name, config: JSON.stringify(config) };
      return await this.pool.run('findConfigFaults', scorer, { deadlineMs: DEADLINE_MS, group });
    } catch (error) {
      return [{ path: '', message: `cannot be checked: ${describeFailure(error)}` }];
    }
  }

  /** @throws Error saying why there is no score. */
  private async score(group: string, sample: ThreadSample): Promise<Score> {
    let scored: ThreadScore;
    try {
      scored = await this.pool.run('scoreOutput', sample, { deadlineMs: DEADLINE_MS, group });
    } catch (error) {
      throw new Error(describeFailure(error), { cause: error });
    }
    if ('score' in scored) return scored.score;
    throw new Error(scored.error);
  }
}

const describeFailure = (error: unknown): string =>
  error instanceof TaskFailure && error.reason === 'deadline'
    ? `took longer than ${DEADLINE_MS / 1_000} s`
    : 'its thread failed';
