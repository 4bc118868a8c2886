import { describe, expect, it } from '@jest/globals';
import { SpandrelError, type Api } from '@spandrel/sdk';
import type { OutputStream } from '../client/command-io.js';
import { sampleRun } from '../../../../test/cli/sample-report.js';
import { progressOn, watchRun, type Progress } from './watch-run.js';

const away = new SpandrelError({ status: 0, code: 'unreachable', detail: 'nobody there' });

/** @param runs what the API answers, one for each time that it is asked; the last one again and again. */
function scripted(...runs: (Parameters<typeof sampleRun>[0] | SpandrelError)[]) {
  const asked = { runs: 0 };
  const getEval = async () => {
    const answer = runs[Math.min(asked.runs++, runs.length - 1)]!;
    if (answer instanceof SpandrelError) throw answer;
    return sampleRun(answer);
  };
  return { api: { getEval } as unknown as Api, asked };
}

const running = { status: 'running', sample_progress: 1, sample_total: 6 } as const;
const never = new AbortController().signal;
const times = { pollMs: 1, awayMs: 3_600_000 };

describe('watching a run', () => {
  it('asks until it has ended, and says how far it is', async () => {
    const { api, asked } = scripted(running, running, { ...running, sample_progress: 4 }, {});
    const seen: Progress[] = [];
    const ended = watchRun(api, 'R1', { signal: never, times, onProgress: (now) => seen.push(now) });
    expect(await ended).toMatchObject({ status: 'completed' });
    expect(seen.map(({ done }) => done)).toEqual([1, 1, 4, 6]);
    expect(asked.runs).toBe(4);
  });

  it('waits for a server that is away for a while, and not for ever', async () => {
    const options = { signal: never, onProgress: () => {} };
    const back = scripted(running, away, away, {});
    expect(await watchRun(back.api, 'R1', { ...options, times })).toMatchObject({ status: 'completed' });
    const gone = scripted(running, away);
    await expect(watchRun(gone.api, 'R1', { ...options, times: { ...times, awayMs: 0 } })).rejects.toBe(away);
  });

  it('ends with what the server refuses, and with its signal', async () => {
    const refused = new SpandrelError({ status: 404, code: 'eval_run_not_found', detail: 'deleted' });
    const { api } = scripted(running, refused);
    await expect(watchRun(api, 'R1', { signal: never, times, onProgress: () => {} })).rejects.toBe(refused);
    const controller = new AbortController();
    const reason = new Error('interrupted');
    const onProgress = (): void => controller.abort(reason);
    const endless = scripted(running);
    await expect(watchRun(endless.api, 'R1', { signal: controller.signal, times, onProgress })).rejects.toBe(reason);
  });
});

describe('progress', () => {
  const shown = (isTTY: boolean, steps: Progress[], env: Record<string, string> = {}): string => {
    let text = '';
    const stderr = { write: (part: string) => void (text += part), isTTY, columns: 80 } as unknown as OutputStream;
    const progress = progressOn({ stderr, env }, 'my\nrun');
    for (const step of steps) progress.show(step);
    progress.end();
    return text;
  };
  const steps = [0, 1, 5, 19, 20].map((done) => ({ done, total: 20, failed: done > 10 ? 1 : 0 }));

  it('is a line each tenth where nobody looks', () => {
    const lines = [
      'my run: 20% (5 of 20 samples)',
      'my run: 90% (19 of 20 samples, 1 failed)',
      'my run: 100% (20 of 20 samples, 1 failed)',
    ];
    expect(shown(false, steps)).toBe(`${lines.join('\n')}\n`);
    expect(shown(true, steps, { TERM: 'dumb' })).toBe(`${lines.join('\n')}\n`);
    expect(shown(false, [{ done: 0, total: 0 }])).toBe('');
  });

  it('is a bar on a terminal, and gone at the end', () => {
    const text = shown(true, steps);
    expect(text).toContain('\r\u001b[2K░');
    expect(text).toMatch(/█{30} 20 of 20 samples, 1 failed {2}my run/);
    expect(text.endsWith('\r\u001b[2K')).toBe(true);
    expect(shown(true, [])).toBe('');
  });
});
