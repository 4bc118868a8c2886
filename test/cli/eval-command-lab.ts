import { join } from 'node:path';
import type { EvalRunResource } from '@spandrel/contract';
import { EvalsLab } from '../evals/evals-lab.ts';
import { tempDir } from '../support/spandrel.ts';
import { CommandLine, type Finished } from './command-line.ts';

/** A server with datasets and a connection to the fake provider, and `spandrel eval` on it. */
export class EvalCommandLab {
  /** For what commands write. */
  readonly folder = tempDir();
  readonly cli: CommandLine;

  private constructor(readonly evals: EvalsLab) {
    this.cli = new CommandLine({ SPANDREL_API_URL: this.url });
  }

  static async open(): Promise<EvalCommandLab> {
    const evals = await EvalsLab.open({ dialect: 'sqlite', file: join(tempDir(), 'spandrel.db') });
    const lab = new EvalCommandLab(evals);
    await lab.makeDataset('capitals', 4, (n) => (n === 3 ? 'Nairobi' : `question ${n}`));
    await lab.makeDataset('luck', 60, (n) => `question ${n}`);
    return lab;
  }

  get url(): string {
    return this.evals.server.url;
  }

  get api(): EvalsLab['api'] {
    return this.evals.api;
  }

  get provider(): EvalsLab['provider'] {
    return this.evals.provider;
  }

  /** The fake model says the question again: it is right where that is expected. */
  async makeDataset(name: string, size: number, expected: (n: number) => string): Promise<void> {
    const { body } = await this.api.post<{ id: string }>('/api/datasets', { name });
    const lines = Array.from({ length: size }, (_, n) =>
      JSON.stringify({
        ...{ input: `question ${n}`, expected_output: expected(n) },
        metadata: { category: n % 2 === 0 ? 'even' : 'odd' },
      }),
    );
    await this.api.send('POST', `/api/datasets/${body.id}/import`, lines.join('\n'), {
      'content-type': 'application/x-ndjson',
    });
  }

  /** `spandrel eval run`, scored by `Contains` unless scorers are given. */
  run(dataset: string, model: string, ...more: string[]): Promise<Finished> {
    const scoring = more.includes('--scorer') ? [] : ['--scoring', 'Contains'];
    const words = ['eval', 'run', '--dataset', dataset, '--connection', 'fake', '--model', model];
    return this.cli.run([...words, ...scoring, ...more]);
  }

  /** The run that was started last. */
  async lastRun(): Promise<EvalRunResource> {
    const { body } = await this.api.get<{ runs: EvalRunResource[] }>('/api/eval?limit=1');
    return body.runs[0]!;
  }

  close = (): Promise<void> => this.evals.close();
}
