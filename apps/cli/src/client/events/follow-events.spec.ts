import { describe, expect, it } from '@jest/globals';
import { SpandrelError, type Api } from '@spandrel/sdk';
import { followEvents, type FollowedEvent } from './follow-events.js';

type Answer = string | SpandrelError;

const event = (id: number) => `id: ${id}\nevent: message\ndata: {"n":${id}}\n\n`;
const stream = (text: string, type = 'text/event-stream') =>
  new Response(text, { headers: { 'content-type': type, date: 'Mon, 23 Nov 2026 12:00:00 GMT' } });
const problem = (status: number, code: string) => new SpandrelError({ status, code, detail: 'no' });

/** A server that gives one answer after the other, and says what it was asked behind. */
function answering(...answers: (Answer | Response)[]) {
  const asked: (string | undefined)[] = [];
  const raw: Api['raw'] = async (_method, _path, options) => {
    asked.push(options?.headers?.['last-event-id']);
    const answer = answers.shift();
    if (answer === undefined) throw problem(403, 'insufficient_scope');
    if (answer instanceof SpandrelError) throw answer;
    return typeof answer === 'string' ? stream(answer) : answer;
  };
  return { asked, api: { raw } as Api };
}

/** Everything that comes until the server refuses. */
async function followed(api: Api, after?: number) {
  const got: FollowedEvent[] = [];
  const cuts: string[] = [];
  let error: unknown;
  try {
    const options = { query: {}, after, signal: new AbortController().signal, pause: () => 0 };
    for await (const each of followEvents(api, { ...options, onCut: (reason) => cuts.push(reason) })) got.push(each);
  } catch (thrown) {
    error = thrown;
  }
  return { got, cuts, error };
}

describe('events of a server', () => {
  it('go on behind the last one when the connection is lost, whatever comes in between', async () => {
    const { api, asked } = answering(
      event(3) + event(5),
      problem(0, 'unreachable'),
      problem(503, 'unavailable'),
      event(6),
    );
    const { got, cuts } = await followed(api);
    expect(got).toEqual([3, 5, 6].map((id) => ({ id, json: `{"n":${id}}`, mayBeOld: false })));
    expect(asked).toEqual([undefined, '5', '5', '5', '6']);
    // Reported once a cut, not once a try.
    expect(cuts).toEqual(['the server ended the stream', 'the server ended the stream']);
  });

  it('are all that the log has when none had come before, and say that they may be old', async () => {
    const { api, asked } = answering(': keep-alive\n\n', event(1) + event(2));
    const { got } = await followed(api);
    expect(asked).toEqual([undefined, '0', '2']);
    expect(got.map(({ id, mayBeOld }) => [id, mayBeOld])).toEqual([
      [1, true],
      [2, true],
    ]);
  });

  it('begin where they are asked to', async () => {
    const { api, asked } = answering(event(8));
    await followed(api, 7);
    expect(asked[0]).toBe('7');
  });

  it('end when the server refuses, and when the first connection fails', async () => {
    expect((await followed(answering(event(1), problem(401, 'unauthenticated')).api)).error).toMatchObject({
      status: 401,
    });
    expect((await followed(answering(problem(0, 'unreachable')).api)).error).toMatchObject({ code: 'unreachable' });
    expect((await followed(answering(stream('<html>', 'text/html')).api)).error).toMatchObject({ exitCode: 3 });
  });

  it('end with the signal', async () => {
    const ending = new AbortController();
    const { api } = answering(event(1), event(2));
    const next = followEvents(api, { query: {}, signal: ending.signal, pause: () => 60_000 });
    await next.next();
    const later = next.next();
    ending.abort(new Error('interrupted'));
    await expect(later).rejects.toThrow('interrupted');
  });
});
