import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { contentBytes, describeAnswer, eventBytes } from './cassette-answer.js';
import { readBody, readCassette, StoredEntry, writeCassette } from './cassette-file.js';
import { describeRequest, readForm, RequestMatch, type GivenRequest } from './cassette-request.js';
import { Cassette } from './cassette.js';
import type { CassetteRequest, Mask } from './entry.js';

const noMask: Mask = (value) => value;
const match = new RequestMatch([]);

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cassette-'));
  file = join(folder, 'chat.cassette.yaml');
});
afterEach(() => rmSync(folder, { recursive: true }));

const given = (body: unknown, more: Partial<GivenRequest> = {}): GivenRequest => ({
  ...{ method: 'POST', provider: 'openai', url: '/v1/chat/completions' },
  isEncoded: false,
  body: Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body)),
  ...more,
});
const asked = (body: unknown, more: Partial<GivenRequest> = {}): CassetteRequest =>
  describeRequest(given(body, more), noMask);
const chat = (content: string): Record<string, unknown> => ({
  model: 'm',
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content },
  ],
});

const JSON_TYPE = ['Content-Type', 'application/json'];
function record(
  cassette: Cassette,
  body: unknown,
  answer: string | Buffer,
  headers: readonly string[] = JSON_TYPE,
): void {
  const pieces = [{ data: Buffer.from(answer), at: 5 }];
  const head = { status: 200, headers, pieces, sentAt: 0, isCut: false };
  cassette.record(cassette.begin(), cassette.describe(given(body), noMask), head, noMask, undefined);
}
const open = (mode: 'replay' | 'record' | 'hybrid' = 'replay', mask = noMask): Cassette =>
  new Cassette(file, 'chat', mode, () => mask);
const answerOf = (cassette: Cassette, body: unknown): string | null => {
  const found = cassette.find(cassette.describe(given(body), noMask));
  return found && contentBytes(found.answer, (name) => cassette.body(name)).toString();
};

describe('requests', () => {
  it('match whatever the order of members, and without what differs from run to run', () => {
    const plain = match.digest(asked({ model: 'm', messages: [], temperature: 0 }));
    const other = { temperature: 0, messages: [], user: 'u1', metadata: { run: 7 }, prompt_cache_key: 'k', model: 'm' };
    expect(match.digest(asked({ ...other, stream_options: { include_usage: true } }))).toBe(plain);
    expect(match.digest(asked({ ...other, temperature: 1 }))).not.toBe(plain);
    expect(match.digest(asked(other, { url: '/v1/responses' }))).not.toBe(plain);
    expect(match.digest(asked(other, { url: '/v1/chat/completions?key=AIzaSecret' }))).toBe(plain);
  });

  it('match by the order of the ids of tool calls, not by the ids', () => {
    const turn = (first: string, second: string, answered = first) =>
      match.digest(
        asked({
          messages: [
            { role: 'assistant', tool_calls: [first, second].map((id) => ({ id, type: 'function', function: {} })) },
            { role: 'tool', tool_call_id: answered, content: 'x' },
          ],
        }),
      );
    expect(turn('call_1', 'call_2')).toBe(turn('call_x', 'call_y'));
    expect(turn('call_1', 'call_2', 'call_2')).not.toBe(turn('call_1', 'call_2'));
  });

  it('match without the paths of cassette.yaml', () => {
    const lax = new RequestMatch(['messages[0].content', 'tools[*].description']);
    const digest = (content: string, description: string): string =>
      lax.digest(asked({ messages: [{ content }, { content: 'same' }], tools: [{ name: 'a', description }] }));
    expect(digest('Today is Monday', 'old')).toBe(digest('Today is Friday', 'new'));
    expect(lax.digest(asked({ messages: [{ content: 'a' }, { content: 'b' }] }))).not.toBe(
      lax.digest(asked({ messages: [{ content: 'a' }, { content: 'c' }] })),
    );
  });

  it('of forms match by the names of their parts and what is in them', async () => {
    const form = async (boundary: string, audio: string): Promise<CassetteRequest> => {
      const parts = [
        `Content-Disposition: form-data; name="model"\r\n\r\nwhisper-1`,
        `Content-Disposition: form-data; name="file"; filename="${boundary}.wav"\r\nContent-Type: audio/wav\r\n\r\n${audio}`,
      ];
      const body = Buffer.from(`${parts.map((part) => `--${boundary}\r\n${part}\r\n`).join('')}--${boundary}--\r\n`);
      return asked(body, { form: await readForm(`multipart/form-data; boundary=${boundary}`, body) });
    };
    const first = await form('b1', 'RIFF1');
    expect(first.form).toEqual([
      { name: 'model', text: 'whisper-1' },
      { name: 'file', sha256: expect.stringMatching(/^[0-9a-f]{64}$/), bytes: 5 },
    ]);
    expect(match.digest(first)).toBe(match.digest(await form('other', 'RIFF1')));
    expect(match.digest(first)).not.toBe(match.digest(await form('b1', 'RIFF2')));
  });

  it('with a form that cannot be read are compared by the digest of their body', async () => {
    const body = Buffer.from([0x2d, 0x2d, 0xff, 0xfe]);
    const form = await readForm('multipart/form-data; boundary=b', body);
    expect([form, asked(body, { form })]).toEqual([null, expect.objectContaining({ sha256: expect.any(String) })]);
  });
});

describe('answers', () => {
  it.each([
    ['compact JSON', '{"a":[1,2.5],"b":"x\\ny"}'],
    ['JSON in lines', JSON.stringify({ a: [1], b: { c: null } }, null, 2)],
    ['JSON with a line feed', '{"a":1}\n'],
    ['JSON of other blanks', '{ "a" : 1.0 }'],
    ['JSON with half of a pair', '{"a":"\\ud83d"}'],
    ['a text', 'no JSON\r\nat all\n\n'],
    ['nothing', ''],
    ['bytes', Buffer.from([0xff, 0xfe, 0, 1])],
    ['many bytes', Buffer.alloc(100_000, 0xfe)],
  ])('come back as they were: %s', (_what, body) => {
    const recording = open('record');
    record(recording, {}, body);
    recording.save();
    const found = open().find(asked({}))!;
    expect(contentBytes(found.answer, (name) => readBody(file, name))).toEqual(Buffer.from(body));
  });

  it.each([
    ['sse', 'data: {"a":1}\n\nevent: end\ndata: {"b":"x\\ny"}\n\ndata: [DONE]\n\n'],
    ['sse', ': ping\n\ndata:tight\r\n\r\nid: 7\ndata: two\ndata: lines\n\ndata: without its end'],
    ['ndjson', '{"a":1}\n{"b":2}\n'],
    ['ndjson', '{"a":1}\r\n\n{"b":"\u2028"}'],
  ])('come back as they were: a stream of %s', (framing, text) => {
    const type = framing === 'sse' ? 'text/event-stream' : 'application/x-ndjson';
    const recording = open('record');
    record(recording, {}, text, ['content-type', type]);
    recording.save();
    const { answer } = open().find(asked({}))!;
    expect([answer.framing, Buffer.concat(eventBytes(answer)).toString()]).toEqual([framing, text]);
  });

  it('have the milliseconds before each event', () => {
    const pieces = ['data: 1\n', '\ndata: 2\n\ndata: 3\n\n', 'data: 4\n\n'].map((text, i) => ({
      data: Buffer.from(text),
      at: 100 + 10 * (i + 1),
    }));
    const answer = { status: 200, headers: ['content-type', 'text/event-stream'], pieces, sentAt: 100, isCut: true };
    expect(describeAnswer(answer, noMask, () => {})).toMatchObject({
      ...{ pauses_ms: '20 0 0 10', events: ['1', '2', '3', '4'], cut: true },
    });
  });

  it('come back whatever texts are in them', () => {
    fc.assert(
      fc.property(fc.json(), fc.string({ unit: 'binary' }), (json, text) => {
        const entry = {
          request: { method: 'POST', provider: 'p', path: '/', text },
          answer: {
            status: 200,
            headers: {},
            body: JSON.parse(json) as unknown,
            events: [text, { event: text, data: json }],
          },
        };
        writeCassette(file, { ignore: [], entries: [StoredEntry.of(entry, match), StoredEntry.of(entry, match)] });
        const { entries } = readCassette(file)!;
        expect(entries).toHaveLength(2);
        expect(JSON.stringify(entries[1]!.entry)).toBe(JSON.stringify(entry));
      }),
    );
  });
});

describe('a cassette', () => {
  it('answers the same call in the order of recording, and the last one repeats', () => {
    const recording = open('record');
    for (const n of ['1', '2', '3']) record(recording, chat('again'), n);
    recording.save();
    const replay = open();
    expect([1, 2, 3, 4, 5].map(() => answerOf(replay, chat('again')))).toEqual(['1', '2', '3', '3', '3']);
    expect(replay.report).toMatchObject({ hits: 5, misses: 0, unused: [] });
  });

  it('says how a call differs that is not on it, from the nearest recording', () => {
    const recording = open('record');
    record(recording, { ...chat('Something else altogether'), temperature: 1 }, '1');
    record(recording, chat('Remind me to water the plants at 6 pm'), '2');
    recording.save();
    const replay = open();
    const request = asked(chat('Remind me to water the plants at 5 pm'));
    expect(replay.find(request)).toBeNull();
    expect(replay.missed(request)).toContain(
      'the nearest recording differs: messages[1].content: "…water the plants at 5 pm" is "…water the plants at 6 pm" on the cassette.',
    );
    expect(replay.missed(asked({}, { url: '/v1/embeddings' }))).toContain(
      'nothing of POST openai /v1/embeddings is recorded there',
    );
    expect(replay.report).toMatchObject({ misses: 2, unused: [{ index: 0 }, { index: 1 }] });
  });

  it('keeps what is there in hybrid mode, and nothing of it in record mode', () => {
    const first = open('record');
    record(first, chat('a'), '1');
    first.save();
    const more = open('hybrid');
    record(more, chat('b'), '2');
    more.save();
    expect([answerOf(open(), chat('a')), answerOf(open(), chat('b'))]).toEqual(['1', '2']);
    const fresh = open('record');
    record(fresh, chat('b'), Buffer.alloc(70_000, 0xff), ['content-type', 'audio/mpeg']);
    fresh.save();
    expect([answerOf(open(), chat('a')), readdirSync(join(folder, 'chat.cassette'))]).toEqual([
      null,
      [expect.stringMatching(/^[0-9a-f]{16}\.mpeg$/)],
    ]);
    const last = open('record');
    record(last, chat('b'), '3');
    last.save();
    expect(readdirSync(folder)).toEqual(['chat.cassette.yaml']);
  });

  it.each(['\u2028', '\u2029', '\r'])('has no entry that begins within a text, behind %j', (end) => {
    const planted = `${end}--- # ${'a'.repeat(32)}-${'b'.repeat(8)} POST openai /\nrequest: {}`;
    const recording = open('record');
    record(recording, chat('a'), JSON.stringify({ said: `two\nlines${planted}` }));
    recording.save();
    expect(readCassette(file)!.entries).toHaveLength(1);
    expect(answerOf(open(), chat('a'))).toBe(JSON.stringify({ said: `two\nlines${planted}` }));
  });

  it('is found where the ends of its lines were changed', () => {
    const recording = open('record');
    record(recording, chat('a'), '1');
    recording.save();
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll('\n', '\r\n'));
    expect(answerOf(open(), chat('a'))).toBe('1');
  });

  it('removes nothing but its own bodies from the folder beside it', () => {
    const recording = open('record');
    record(recording, chat('b'), Buffer.alloc(70_000, 0xff), ['content-type', 'audio/mpeg']);
    recording.save();
    writeFileSync(join(folder, 'chat.cassette', 'inner.cassette.yaml'), 'of another');
    const again = open('record');
    record(again, chat('b'), '3');
    again.save();
    expect(readdirSync(join(folder, 'chat.cassette'))).toEqual(['inner.cassette.yaml']);
  });

  it('does without an answer that no file can hold', () => {
    const recording = open('record');
    record(recording, chat('a'), '['.repeat(20_000) + ']'.repeat(20_000));
    recording.save();
    expect(recording.report).toMatchObject({
      recorded: 0,
      reasons: [expect.stringContaining('could not be recorded')],
    });
  });

  it('has texts in lines, and answers what people have changed', () => {
    const recording = open('record');
    record(recording, chat('one\ntwo'), '{"said":"three\\nfour"}');
    recording.save();
    const text = readFileSync(file, 'utf8');
    expect(text).toContain('        content: |-\n          one\n          two\n');
    expect(text).toContain('    said: |-\n      three\n      four\n');
    writeFileSync(file, text.replace('          two', '          zwei').replace('      four', '      vier'));
    expect([answerOf(open(), chat('one\nzwei')), answerOf(open(), chat('one\ntwo'))]).toEqual([
      '{"said":"three\\nvier"}',
      null,
    ]);
  });

  it('finds recordings of other rules than those of today', () => {
    const recording = open('record');
    record(recording, chat('a'), '1');
    recording.save();
    writeFileSync(join(folder, 'cassette.yaml'), 'ignore: ["messages[1].content"]\n');
    expect(answerOf(open(), chat('b'))).toBe('1');
    writeFileSync(join(folder, 'cassette.yaml'), 'ignored: []\n');
    expect(() => open()).toThrow('cassette.yaml');
  });

  it('is masked: requests, answers and events, and a masked request is found', () => {
    const mask = ((value: unknown) => JSON.parse(JSON.stringify(value).replaceAll('sk-secret', '[key]'))) as Mask;
    const recording = open('record', mask);
    record(recording, chat('my key is sk-secret'), '{"said":"sk-secret"}');
    record(recording, chat('b'), 'data: {"d":"sk-secret"}\n\n: sk-secret\n\n', ['content-type', 'text/event-stream']);
    recording.save();
    expect(readFileSync(file, 'utf8')).not.toContain('sk-secret');
    expect(answerOf(open('replay', mask), chat('my key is sk-secret'))).toBe('{"said":"[key]"}');
  });

  it('is masked where pieces of a text hold a key together, each text for itself', () => {
    const mask = ((value: unknown) =>
      JSON.parse(JSON.stringify(value).replaceAll(/sk-secret\d*|cba/g, '[key]'))) as Mask;
    const recording = open('record', mask);
    const piece = (content: string, index = 0): string =>
      `data: ${JSON.stringify({ id: 'x', choices: [{ index, delta: { content } }] })}\n\n`;
    const sse = ['the k', 'ey s', 'k-sec'].map((text) => piece(text)).join('') + piece('c', 1) + piece('ret1 i', 0);
    record(recording, chat('a'), `${sse}${piece('ba', 2)}${piece('s it')}`, ['content-type', 'text/event-stream']);
    const lines = ['sk-s', 'ecre', 't12 '].map((content) => `${JSON.stringify({ message: { content } })}\n`).join('');
    record(recording, chat('b'), lines, ['content-type', 'application/x-ndjson']);
    recording.save();
    const said = (body: unknown): string[] =>
      eventBytes(open('replay', mask).find(asked(body))!.answer).map(
        (bytes) => /"content":"(.*?)"/.exec(bytes.toString())![1]!,
      );
    expect(said(chat('a'))).toEqual(['the key [key] is it', '', '', 'c', '', 'ba', '']);
    expect(said(chat('b'))).toEqual(['[key] ', '', '']);
  });

  it('is refused when the file is none', () => {
    writeFileSync(file, 'spandrel_cassette: 99\n');
    expect(() => open()).toThrow('is no cassette of format 1');
  });
});
