import { Writable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import type { AppliedPrices } from '@spandrel/contract';
import { SpandrelError, type Api } from '@spandrel/sdk';
import type { ClientCall } from '../client-command.js';
import type { CommandIo } from '../command-io.js';
import { Output } from '../output/output.js';
import { applyPrices } from './prices-command.js';

const page = (next: string | null): AppliedPrices => ({
  ...{ examined: 60_000, changed: 2, unchanged: 59_997, reported: 1, before: 0.1, after: 0.2, next_cursor: next },
});

/** Applies prices on a server that gives these answers. @returns what was sent and written, and what it ended with. */
async function applied(options: object, ...answers: (AppliedPrices | SpandrelError)[]) {
  const sent: unknown[] = [];
  const written = { out: '', err: '' };
  const stream = (name: 'out' | 'err') =>
    new Writable({
      write: (chunk, _encoding, done) => {
        written[name] += String(chunk);
        done();
      },
    });
  const io = { stdout: stream('out'), stderr: stream('err'), env: {}, signal: new AbortController().signal };
  const applyOnServer = async ({ body }: { body: unknown }): Promise<AppliedPrices> => {
    sent.push(body);
    const answer = answers.shift()!;
    if (answer instanceof SpandrelError) throw answer;
    return answer;
  };
  const call = {
    ...{ io: io as unknown as CommandIo, out: new Output(io as unknown as CommandIo, false), options },
    api: { applyPrices: applyOnServer } as unknown as Api,
  } as ClientCall<object>;
  const error: unknown = await applyPrices(call).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return { sent, error, ...written };
}

describe('prices apply', () => {
  it('goes on to the end, says how far it is, and adds up', async () => {
    const { sent, error, out, err } = await applied({ model: 'm' }, page('a'), page('b'), page(null));
    expect(error).toBeUndefined();
    expect(sent).toEqual([{ model: 'm' }, { model: 'm', cursor: 'a' }, { model: 'm', cursor: 'b' }]);
    expect(err).toBe('120,000 spans, 4 changed\n');
    expect(out).toMatch(/^Looked at +180,000 spans\nChanged +6\nUnchanged +179,991\nCost was reported +3\n/);
    expect(out).toMatch(/^Cost before +\$0\.30\nCost after +\$0\.60\n$/m);
  });

  it('says where to go on when it is interrupted', async () => {
    const lost = new SpandrelError({ status: 503, code: 'unavailable', detail: 'no' });
    const { error, err } = await applied({}, page('behind'), lost);
    expect(error).toBe(lost);
    expect(err).toBe('to go on where it stopped: --cursor behind\n');
    expect((await applied({ cursor: 'given' }, page(null))).sent).toEqual([{ cursor: 'given' }]);
  });
});
