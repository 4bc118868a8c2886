import { EventEmitter } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { SpandrelError, type Api } from '@spandrel/sdk';
import type { OutputStream } from '../client/command-io.js';
import { sampleRun } from '../../../../test/cli/sample-report.js';
import { progressOn, watchRun, type Progress } from './watch-run.js';

/** What an API of a test answers, one for each time that it is asked; the last one again and again. */
interface Script {
  runs: (Parameters<typeof sampleRun>[0] | SpandrelError)[];
  /** Bodies of event streams; one that is no text cannot be opened, and one that ends with `…` stays open. */
  streams: (string | undefined)[];
}

const away = new SpandrelError({ status: 0, code: 'unreachable', detail: 'nobody there' });

function scripted({ runs, streams }: Script) {
  const asked = { runs: 0, streams: 0 };
  const push = new EventEmitter();
  const next = <Each>(list: Each[], key: 'runs' | 'streams'): Each => list[Math.min(asked[key]++, list.length - 1)]!;
  const api = {
    getEval: async () => {
      const answer = next(runs, 'runs');
      if (answer instanceof SpandrelError) throw answer;
      return sampleRun(answer);
    },
    raw: async (_method: string, _path: string, { signal }: { signal: AbortSignal }) => {
      const text = next(streams, 'streams');
      if (text === undefined) throw away;
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          const send = (part: string): void => controller.enqueue(new TextEncoder().encode(part));
          send(text.replace('…', ''));
          if (!text.endsWith('…')) return void controller.close();
          push.on('event', send);
          signal.addEventListener('abort', () => controller.error(signal.reason), { once: true });
        },
      });
      return new Response(body);
    },
  } as unknown as Api;
  return { api, asked, push: (text: string) => push.emit('event', text) };
}

const event = (type: string, members: object = {}): string =>
  `id: 1\nevent: message\ndata: ${JSON.stringify({ type, run_id: 'R1', ...members })}\n\n`;

const running = { status: 'running', sample_progress: 1, sample_total: 6 } as const;
const never = new AbortController().signal;
/** Asked at once without events; never while there are some. */
const times = { pollMs: 1, checkMs: 3_600_000, awayMs: 3_600_000 };

describe('watching a run', () => {
  it('hears of its end by an event', async () => {
    const { api, asked, push } = scripted({ runs: [running, running, {}], streams: [': hello\n\n…'] });
    const seen: Progress[] = [];
    const ended = watchRun(api, 'R1', {
      signal: never,
      times,
      onProgress: (now) => {
        seen.push(now);
        // Asked for the second time behind the stream's beginning: from here on there are events alone.
        if (asked.runs === 2 && seen.length === 2) {
          push(event('eval_progress', { run_id: 'another', sample_progress: 5, sample_total: 6 }));
          push(event('eval_progress', { sample_progress: 4, sample_total: 6 }));
          push(event('eval_completed'));
        }
      },
    });
    expect(await ended).toMatchObject({ status: 'completed' });
    expect(seen.map(({ done }) => done)).toEqual([1, 1, 4, 6]);
    expect(asked).toEqual({ runs: 3, streams: 1 });
  });

  it.each([
    ['cannot be opened', [undefined]],
    ['end at once', ['']],
    ['are no events', ['data: what\n\n…']],
  ])('asks again and again where events %s', async (_what, streams) => {
    const { api, asked } = scripted({ runs: [running, running, running, running, {}], streams });
    expect(await watchRun(api, 'R1', { signal: never, times, onProgress: () => {} })).toMatchObject({
      status: 'completed',
    });
    expect(asked.runs).toBe(5);
  });

  it('waits for a server that is away for a while, and not for ever', async () => {
    const back = scripted({ runs: [running, away, away, {}], streams: [undefined] });
    const options = { signal: never, onProgress: () => {} };
    expect(await watchRun(back.api, 'R1', { ...options, times })).toMatchObject({ status: 'completed' });
    const gone = scripted({ runs: [running, away], streams: [undefined] });
    await expect(watchRun(gone.api, 'R1', { ...options, times: { ...times, awayMs: 0 } })).rejects.toBe(away);
  });

  it('ends with what the server refuses, and with its signal', async () => {
    const refused = new SpandrelError({ status: 404, code: 'eval_run_not_found', detail: 'deleted' });
    const { api } = scripted({ runs: [running, refused], streams: [undefined] });
    await expect(watchRun(api, 'R1', { signal: never, times, onProgress: () => {} })).rejects.toBe(refused);
    const controller = new AbortController();
    const endless = scripted({ runs: [running], streams: ['…'] });
    const reason = new Error('interrupted');
    const onProgress = (): void => controller.abort(reason);
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
