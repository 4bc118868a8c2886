import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { askForUsage, UsageChunkFilter } from './usage-question.js';

const edited = (body: string): string | null => askForUsage(Buffer.from(body))?.toString() ?? null;

describe('askForUsage', () => {
  it.each([
    ['{"stream":true}', '{"stream":true,"stream_options":{"include_usage":true}}'],
    [
      ' {\r\n  "model" : "gpt-4o",\r\n  "stream" : true\r\n}\r\n',
      ' {\r\n  "model" : "gpt-4o",\r\n  "stream" : true\r\n,"stream_options":{"include_usage":true}}\r\n',
    ],
    [
      '{"stream_options":{},"stream":true,"n":1e400}',
      '{"stream_options":{"include_usage":true},"stream":true,"n":1e400}',
    ],
    [
      '{"stream_options":{ "x": [1, "}"] },"stream":true}',
      '{"stream_options":{ "x": [1, "}"] ,"include_usage":true},"stream":true}',
    ],
    [
      '{"stream_options":{"include_usage" : false , "x":1},"stream":true}',
      '{"stream_options":{"include_usage" : true , "x":1},"stream":true}',
    ],
    [
      '{"stream_options":{"include_usage":null},"stream":true}',
      '{"stream_options":{"include_usage":true},"stream":true}',
    ],
    ['{"stream_options":null,"stream":true}', '{"stream_options":{"include_usage":true},"stream":true}'],
    [
      String.raw`{"messages":[{"content":"\"stream_options\":{\\\"stream\":false 長崎 🌊 \u0000"}],"stream":true}`,
      String.raw`{"messages":[{"content":"\"stream_options\":{\\\"stream\":false 長崎 🌊 \u0000"}],"stream":true,"stream_options":{"include_usage":true}}`,
    ],
    [
      '{"tools":[{"stream":false,"stream_options":1}],"stream":true}',
      '{"tools":[{"stream":false,"stream_options":1}],"stream":true,"stream_options":{"include_usage":true}}',
    ],
  ])('asks in %s', (body, expected) => {
    expect(edited(body)).toBe(expected);
  });

  it.each([
    ['asks for no stream', '{"model":"gpt-4o"}'],
    ['asks for no stream by name', '{"stream":false}'],
    ['has something else there', '{"stream":"true"}'],
    ['asks for a stream elsewhere', '{"tools":[{"stream":true}]}'],
    ['has asked itself', '{"stream":true,"stream_options":{"include_usage":true}}'],
    ['has a member twice', '{"stream":true,"stream":true}'],
    ['has a member twice, once in escapes', String.raw`{"stream":true,"str\u0065am":false}`],
    ['has the options twice', '{"stream":true,"stream_options":{},"stream_options":null}'],
    ['has the option twice', '{"stream":true,"stream_options":{"include_usage":false,"include_usage":true}}'],
    ['has no object there', '{"stream":true,"stream_options":[]}'],
    ['has a text there', '{"stream":true,"stream_options":"include_usage"}'],
    ['has a number as the option', '{"stream":true,"stream_options":{"include_usage":0}}'],
    ['is no JSON', '{"stream":true'],
    ['has more than JSON', '{"stream":true}{"stream":true}'],
    ['is a list', '[{"stream":true}]'],
    ['has a byte order mark', '\ufeff{"stream":true}'],
    ['is empty', ''],
    ['has very many values', `{"stream":true,"x":[${'[],'.repeat(20_000)}1]}`],
    ['has very many members', `{"stream":true${',"x":1'.repeat(20_000)}}`],
    ['nests without end', `{"stream":true,"x":${'['.repeat(100_000)}`],
  ])('leaves a body alone that %s', (_what, body) => {
    expect(edited(body)).toBeNull();
  });

  it('leaves bytes alone that are no UTF-8', () => {
    const body = Buffer.concat([Buffer.from('{"a":"'), Buffer.of(0xff, 0xc3, 0x28), Buffer.from('","stream":true}')]);
    const asked = askForUsage(body)!;
    expect(asked.subarray(0, body.length - 1).equals(body.subarray(0, -1))).toBe(true);
  });

  it('changes nothing else of any request', () => {
    const blank = fc.constantFrom('', ' ', '\n', '\t ');
    const member = fc.tuple(
      fc.string().filter((name) => name !== 'stream' && name !== 'stream_options'),
      fc.jsonValue(),
    );
    fc.assert(
      fc.property(fc.array(member), fc.nat(), blank, blank, (others, place, before, after) => {
        const texts = others.map(
          ([name, value]) => `${JSON.stringify(name)}${before}:${after}${JSON.stringify(value)}`,
        );
        texts.splice(place % (texts.length + 1), 0, `${before}"stream"${after}:${before}true${after}`);
        const body = `${before}{${texts.join(`${after},${before}`)}}${after}`;
        const inserted = ',"stream_options":{"include_usage":true}';
        const at = body.lastIndexOf('}');
        expect(edited(body)).toBe(body.slice(0, at) + inserted + body.slice(at));
      }),
    );
  });
});

const USAGE = 'data: {"id":"c","choices":[],"usage":{"prompt_tokens":11,"completion_tokens":7}}';
const KEPT = [
  'data: {"id":"c","choices":[{"index":0,"delta":{"content":"長崎 🌊"}}],"usage":null}',
  'data: {"choices":[{"index":0,"delta":{"content":"\\"usage\\":{}"}}]}',
  'data: {"choices":[],"prompt_filter_results":[],"usage":null}',
  'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":1}}',
  'data: {"choices":[],"usage":{"prompt_tokens":1}',
  ': a comment with "usage"',
  'event: ping\ndata: "usage"',
  'id: 7',
  'data: [DONE]',
  `data: {"choices":[{"delta":{"content":"${'long '.repeat(3_500)}"}}],"usage":null}`,
  `data: {"choices":[],"usage":{"note":"${'x'.repeat(17_000)}"}}`,
];

/** What comes out of a stream that comes in pieces of these lengths. */
function filtered(stream: Buffer, lengths: readonly number[]): Buffer {
  const filter = new UsageChunkFilter();
  const out: Buffer[] = [];
  let at = 0;
  for (let turn = 0; at < stream.length; turn++) {
    const length = lengths[turn % lengths.length]!;
    out.push(filter.push(stream.subarray(at, at + length)));
    at += length;
  }
  return Buffer.concat([...out, filter.end()]);
}

describe('UsageChunkFilter', () => {
  it('takes out the chunk with nothing but usage, wherever pieces end, and nothing else', () => {
    const event = fc.tuple(fc.constantFrom(USAGE, ...KEPT), fc.constantFrom('\n', '\r\n', '\r'));
    const lengths = fc.array(fc.integer({ min: 1, max: 40_000 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(fc.array(event), fc.oneof(lengths, fc.constant([1])), fc.boolean(), (events, pieces, ends) => {
        const text = (list: typeof events): string =>
          list.map(([event, end]) => event.replaceAll('\n', end) + end + end).join('');
        const tail = ends ? '' : 'data: {"choices":[{';
        const stream = Buffer.from(text(events) + tail);
        const expected = text(events.filter(([event]) => event !== USAGE)) + tail;
        expect(filtered(stream, pieces).toString()).toBe(expected);
      }),
      { numRuns: 60 },
    );
  });

  it('holds nothing back that is whole', () => {
    const filter = new UsageChunkFilter();
    const first = Buffer.from(`${KEPT[0]}\n\n`);
    expect(filter.push(first).equals(first)).toBe(true);
    expect(filter.push(Buffer.from('data: {"cho')).length).toBe(0);
    expect(filter.push(Buffer.from('ices":[1]}\n\n')).toString()).toBe('data: {"choices":[1]}\n\n');
    expect(filter.push(Buffer.from(`${USAGE}\n\ndata: [DONE]\n\n`)).toString()).toBe('data: [DONE]\n\n');
  });

  it('takes the chunk out where the stream ends without its last blank line, and gives the rest back', () => {
    expect(filtered(Buffer.from(USAGE), [10]).toString()).toBe('');
    expect(filtered(Buffer.from('data: {"choi'), [5]).toString()).toBe('data: {"choi');
  });
});
