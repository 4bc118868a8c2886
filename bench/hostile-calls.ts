/** What an outsider may send, to the API and to the gateway: bodies that are small to make and may be much to do. */
import { gzipSync } from 'node:zlib';

/** A call, made when its turn comes. */
export interface HostileCall {
  name: string;
  method?: string;
  path: string;
  headers?: Record<string, string> | (() => Record<string, string>);
  body?: () => string | Buffer;
  /** All that is sent on a connection of its own, in place of a request with the other members; what comes is read. */
  raw?: () => string | Buffer;
}

/** What is there before the calls. */
export interface Prepared {
  dataset: string;
  datapoint: string;
  /** The external run, whose results the caller gives. */
  run: string;
  /** A running span with metadata of 99,000 members. */
  spanOfManyMembers: string;
  traceOfHugeSpans: string;
  /** A rule by which a scorer in a thread judges spans, and a span of objects. */
  scoringRule: string;
  spanOfObjects: string;
  /** A connection, a rule by which its model judges spans, one by which it judges sessions, and a session of long calls. */
  connection: string;
  judge: string;
  judgeOfSessions: string;
  session: string;
}

const list = (count: number, item: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => item(n)).join();
const textOf = (value: unknown): string => JSON.stringify(value);
let ids = 0;
const id = (): string => `hostile-${process.pid}-${ids++}`;

/** Just under the limit of values, of the kinds that cost most. */
const VALUES: Record<string, () => string> = {
  'empty lists': () => `[${list(499_000, () => '[]')}]`,
  'objects of one name': () => `[${list(249_000, (n) => `{"a":${n}}`)}]`,
  'objects of all names': () => `[${list(249_000, (n) => `{"k${n}":0}`)}]`,
  'objects of 99,000 members': () => `[${list(4, (o) => `{${list(99_000, (n) => `"k${n}_${o}":0`)}}`)}]`,
  'one name 99,000 times': () => `{${list(99_000, () => '"a":[]')}}`,
  'distinct short texts': () => `[${list(499_000, (n) => `"s${n}"`)}]`,
  'numbers of 19 digits': () => `[${list(499_000, (n) => `9007199254${740_993_000 + n}`)}]`,
  'floats of 17 digits': () => `[${list(480_000, (n) => `0.012345678${10_000_000 + n}`)}]`,
  'lists deep in lists': () => `${'['.repeat(190)}${list(490_000, () => '[]')}${']'.repeat(190)}`,
  'a list in each list': () => `${'[[[[[[[],1],1],1],1],1],'.repeat(1)}${list(70_000, () => '[[[[[[1]]]]]]')}]`,
};
/** Texts of 10 MB and less, by what they hold. */
const TEXTS: Record<string, () => string> = {
  'a text of 10 MB': () => textOf('wave '.repeat(2_000_000)),
  'escapes alone': () => `"${'\\n'.repeat(5_000_000)}"`,
  'escaped quotes': () => `"${'\\"'.repeat(5_000_000)}"`,
  'lone surrogates': () => `"${'\\ud83d'.repeat(1_700_000)}"`,
  'characters of three bytes': () => textOf('潮'.repeat(3_300_000)),
  'beginnings of a secret': () => textOf('sk-'.repeat(3_000_000)),
  'beginnings of an address': () => textOf('a@a.'.repeat(2_400_000)),
  'digits of cards': () => textOf('4111 '.repeat(1_900_000)),
  'parts of addresses': () => textOf('1.1.1.'.repeat(1_600_000)),
};

/** Members of a call that is tried. */
const TRIED: Record<string, () => string> = {
  '9 MB': () => `"messages":[{"role":"user","content":"${'wave \\n'.repeat(1_200_000)}"}]`,
  '9 MB of base64': () => `"messages":[{"role":"user","content":"${'A'.repeat(9_400_000)}"}]`,
  parts: () => `"messages":[{"role":"user","content":[${list(100_000, (n) => `{"type":"text","text":"${n}"}`)}]}]`,
};

const span = (member: string, json: string): string => `{"id":"${id()}","trace_id":"t","name":"s","${member}":${json}}`;
const ingested = (members: string): string => `{"id":"${id()}","trace_id":"t","name":"s",${members}}`;
const cases = <Name extends string>(
  kinds: Record<Name, () => string>,
  make: (name: string, json: () => string) => HostileCall,
): HostileCall[] => Object.entries<() => string>(kinds).map(([name, json]) => make(name, json));

const otlp = (attributes: string): string =>
  `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"${'a1'.repeat(16)}","spanId":"${'b2'.repeat(8)}","name":"s","startTimeUnixNano":"1790000000000000000","endTimeUnixNano":"1790000001000000000","attributes":[${attributes}]}]}]}]}`;

/** A protobuf field of bytes. */
function field(number: number, content: Buffer): Buffer {
  const length: number[] = [];
  let left = content.length;
  for (; left > 0x7f; left = Math.floor(left / 128)) length.push((left & 0x7f) | 0x80);
  return Buffer.concat([Buffer.from([number * 8 + 2, ...length, left]), content]);
}
const protobufSpan = (attributes: Buffer): Buffer =>
  field(
    1,
    field(
      2,
      field(
        2,
        Buffer.concat([
          field(1, Buffer.alloc(16, 7)),
          field(2, Buffer.alloc(8, 9)),
          field(5, Buffer.from('s')),
          Buffer.from('390000f323845bd7184100ca8d5f845bd718', 'hex'),
          attributes,
        ]),
      ),
    ),
  );
const textAttribute = (name: string, text: string): Buffer =>
  field(9, Buffer.concat([field(1, Buffer.from(name)), field(2, field(1, Buffer.from(text)))]));
const otlpLog = (attributes: string): string =>
  `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"traceId":"${'a1'.repeat(16)}","spanId":"${'b2'.repeat(8)}","timeUnixNano":"1790000000000000000","eventName":"gen_ai.client.inference.operation.details","attributes":[${attributes}]}]}]}]}`;
const repeated = (one: Buffer, count: number): Buffer => Buffer.alloc(one.length * count, one);

const oneByteChunks = (path: string): string =>
  `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n${'1\r\na\r\n'.repeat(1_000_000)}0\r\n\r\n`;
const EMPTY_FRAMES = Buffer.alloc(20_000_000, Buffer.from([0x82, 0x80, 0, 0, 0, 0]));
const handshake = (answer: string): string =>
  `GET /v1/realtime?model=m HTTP/1.1\r\nhost: 127.0.0.1\r\nupgrade: websocket\r\nconnection: upgrade\r\nx-bench-answer: ${answer}\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`;

/** Calls of the API. */
export function hostileApiCalls({
  dataset,
  datapoint,
  run,
  spanOfManyMembers,
  traceOfHugeSpans,
  scoringRule,
  spanOfObjects,
  ...others
}: Prepared): HostileCall[] {
  const imports = `/api/datasets/${dataset}/import?on_error=skip`;
  const upload = (name: string, type: string, body: () => string | Buffer, path = imports): HostileCall => ({
    ...{ name, path, body },
    headers: { 'content-type': type },
  });
  const json = 'application/json';
  return [
    { name: '9 MB of lists', path: '/api/traces', body: () => `[${list(3_000_000, () => '[]')}]` },
    { name: '9 MB of open brackets', path: '/api/traces', body: () => '['.repeat(9_000_000) },
    ...cases(VALUES, (name, value) => ({
      name: `input: ${name}`,
      path: '/api/spans',
      body: () => span('input', value()),
    })),
    ...cases(TEXTS, (name, text) => ({
      name: `input: ${name}`,
      path: '/api/spans',
      body: () => span('input', text()),
    })),
    {
      name: 'metadata of 99,000 members',
      path: '/api/spans',
      body: () => span('metadata', `{${list(99_000, (n) => `"k${n}":{}`)}}`),
    },
    {
      name: 'kind of 99,000 members',
      path: '/api/spans',
      body: () => span('kind', `{"type":"custom",${list(99_000, (n) => `"k${n}":{}`)}}`),
    },
    {
      name: '99,000 unknown members',
      path: '/api/spans',
      body: () => `{"trace_id":"t","name":"s",${list(99_000, (n) => `"k${n}":0`)}}`,
    },
    { name: '490,000 tags', path: '/api/traces', body: () => `{"tags":[${list(490_000, (n) => `"t${n}"`)}]}` },
    { name: '490,000 wrong tags', path: '/api/traces', body: () => `{"tags":[${list(490_000, () => '1')}]}` },
    { name: 'an id of 9 MB', path: '/api/traces', body: () => `{"id":"${'a'.repeat(9_000_000)}"}` },
    { name: 'a name of 9 MB', path: '/api/traces', body: () => `{"name":"${'\\u0000a'.repeat(1_200_000)}"}` },
    {
      name: '400,000 numbers of 1e400',
      path: '/api/spans',
      body: () => span('input', `[1,${list(400_000, () => '1e400')}]`),
    },
    { name: 'an unended text of 9 MB', path: '/api/spans', body: () => `{"input":"${'\\\\'.repeat(4_500_000)}` },
    {
      name: '9 MB that end wrongly',
      path: '/api/spans',
      body: () => span('input', `[${list(480_000, (n) => `0.012345678${10_000_000 + n}`)},]`),
    },
    { name: '9 MB of wrong UTF-8', path: '/api/spans', body: () => Buffer.alloc(9_000_000, 0xff) },
    {
      name: 'wrong UTF-8 behind 9 MB',
      path: '/api/spans',
      body: () => Buffer.concat([Buffer.alloc(9_000_000, 0x61), Buffer.from([0xff])]),
    },
    {
      name: '10,000 spans of 1 KB',
      path: '/api/ingest',
      body: () =>
        `{"traces":[{"id":"t"}],"spans":[${list(9_900, () => ingested(`"status":"completed","input":"${'wave '.repeat(190)}"`))}]}`,
    },
    {
      name: '10,000 wrong spans',
      path: '/api/ingest',
      body: () => `{"spans":[${list(10_000, () => '{"id":7,"tags":[{}],"name":[],"kind":{"type":1}}')}]}`,
    },
    {
      name: '490,000 spans that are numbers',
      path: '/api/ingest',
      body: () => `{"spans":[${list(490_000, () => '1')}]}`,
    },
    {
      name: 'ten spans of 49,000 objects',
      path: '/api/ingest',
      body: () =>
        `{"traces":[{"id":"t"}],"spans":[${list(10, (s) => ingested(`"status":"completed","output":[${list(24_000, (n) => `{"k${n}_${s}":1}`)}]`))}]}`,
    },
    {
      name: '1,000 spans of 9 KB, all members',
      path: '/api/ingest',
      body: () =>
        `{"traces":[{"id":"t"}],"spans":[${list(1_000, () => ingested(`"kind":{"type":"llm_call","model":"m"},"status":"completed","input":[${list(200, () => '{"a":1}')}],"output":"${'x'.repeat(6_000)}"`))}]}`,
    },
    {
      name: 'metadata of 99,000 members merged',
      path: `/api/spans/${spanOfManyMembers}/complete`,
      body: () => `{"metadata":{${list(99_000, (n) => `"m${n}":0`)}}}`,
    },
    {
      name: 'names that sort slowly',
      path: '/api/spans',
      body: () => span('metadata', `{${list(99_000, (n) => `"${'k'.repeat(60)}${(n * 7_919) % 99_000}":0`)}}`),
    },
    {
      name: 'four spans of 99,000 members',
      path: '/api/ingest',
      body: () =>
        `{"spans":[${list(4, () => ingested(`"status":"completed","metadata":{${list(99_000, (n) => `"k${n}":0`)}}`))}]}`,
    },
    {
      name: 'a completed span of 10 MB',
      path: '/api/ingest',
      body: () => `{"spans":[${ingested(`"status":"completed","input":${textOf('wave '.repeat(1_900_000))}`)}]}`,
    },
    {
      name: 'a PATCH of 99,000 members',
      method: 'PATCH',
      path: '/api/traces/t',
      body: () => `{"metadata":{${list(99_000, (n) => `"k${n}":[1,2]`)}}}`,
    },
    {
      name: 'a datapoint of objects',
      path: `/api/datasets/${dataset}/datapoints`,
      body: () => `{"kind":{"Generic":{"input":${VALUES['objects of all names']!()}}}}`,
    },
    {
      name: 'a datapoint of 10 MB',
      method: 'PUT',
      path: `/api/datasets/${dataset}/datapoints/${datapoint}`,
      body: () => `{"kind":{"Generic":{"input":${TEXTS['lone surrogates']!()}}}}`,
    },
    {
      name: 'a conversation of 80,000',
      path: `/api/datasets/${dataset}/datapoints`,
      body: () => `{"kind":{"LlmConversation":{"messages":[${list(80_000, () => '{"role":"user","content":"a"}')}]}}}`,
    },
    {
      name: 'a conversation of 400,000 wrong ones',
      path: `/api/datasets/${dataset}/datapoints`,
      body: () => `{"kind":{"LlmConversation":{"messages":[${list(400_000, () => '1')}]}}}`,
    },
    {
      name: '490,000 ids to delete',
      path: `/api/datasets/${dataset}/datapoints/delete`,
      body: () => `{"ids":[${list(490_000, (n) => `"i${n}"`)}]}`,
    },
    {
      name: '1,000 results of 9 KB',
      path: `/api/eval/${run}/results`,
      body: () =>
        `{"results":[${list(1_000, (n) => `{"datapoint_id":"${datapoint}","sample":${n + 1},"output":[${list(200, () => '{"a":1}')}]}`)}]}`,
    },
    {
      name: 'one result of objects',
      path: `/api/eval/${run}/results`,
      body: () => `{"results":[{"datapoint_id":"${datapoint}","output":${VALUES['objects of all names']!()}}]}`,
    },
    {
      name: '490,000 results',
      path: `/api/eval/${run}/results`,
      body: () => `{"results":[${list(490_000, () => '1')}]}`,
    },
    {
      name: 'a search of 99,000 filters',
      path: '/api/search',
      body: () => `{"query":"a","filters":{${list(99_000, (n) => `"k${n}":0`)}}}`,
    },
    {
      name: 'MCP: arguments of objects',
      path: '/mcp',
      headers: { accept: 'application/json, text/event-stream' },
      body: () =>
        `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_spans","arguments":{"query":${VALUES['objects of all names']!()}}}}`,
    },
    {
      name: 'MCP: 99,000 arguments',
      path: '/mcp',
      headers: { accept: 'application/json, text/event-stream' },
      body: () =>
        `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_traces","arguments":{${list(99_000, (n) => `"k${n}":0`)}}}}`,
    },
    {
      name: 'MCP: 99,000 members of _meta',
      path: '/mcp',
      headers: { accept: 'application/json, text/event-stream' },
      body: () =>
        `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{${list(99_000, (n) => `"k${n}":0`)}}}}`,
    },
    {
      name: 'MCP: parameters that are a text',
      path: '/mcp',
      headers: { accept: 'application/json, text/event-stream' },
      body: () => `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":${textOf('wave '.repeat(1_900_000))}}`,
    },
    upload(
      'OTLP JSON: a million attributes',
      json,
      () => otlp(list(1_000_000, () => '{"key":"k","value":{"intValue":"1"}}')),
      '/v1/traces',
    ),
    upload(
      'OTLP JSON: 490,000 elements',
      json,
      () => otlp(`{"key":"k","value":{"arrayValue":{"values":[${list(490_000, () => '{"doubleValue":0.1}')}]}}}`),
      '/v1/traces',
    ),
    upload('OTLP JSON: 9 MB of lists', json, () => `{"x":[${list(3_000_000, () => '[]')}]}`, '/v1/traces'),
    upload(
      'OTLP JSON: numbers in a span',
      json,
      () => otlp('').replace('"name"', () => `"x":[${list(4_000_000, () => '0')}],"name"`),
      '/v1/traces',
    ),
    upload(
      'OTLP JSON: a text of 60 MB',
      json,
      () => otlp(`{"key":"k","value":{"stringValue":"${'wave '.repeat(12_000_000)}"}}`),
      '/v1/traces',
    ),
    upload(
      'OTLP JSON: 20,000 long attributes',
      json,
      () =>
        otlp(list(19_000, (n) => `{"key":"gen_ai.prompt.${n}.content","value":{"stringValue":"${'x'.repeat(300)}"}}`)),
      '/v1/traces',
    ),
    upload(
      'OTLP protobuf: a million attributes',
      'application/x-protobuf',
      () => protobufSpan(repeated(field(9, field(1, Buffer.from('k'))), 1_000_000)),
      '/v1/traces',
    ),
    upload(
      'OTLP protobuf: 490,000 elements',
      'application/x-protobuf',
      () =>
        protobufSpan(
          field(
            9,
            Buffer.concat([
              field(1, Buffer.from('k')),
              field(2, field(5, repeated(field(1, Buffer.from([0x18, 0x01])), 490_000))),
            ]),
          ),
        ),
      '/v1/traces',
    ),
    upload(
      'OTLP protobuf: messages of lists',
      'application/x-protobuf',
      () => protobufSpan(textAttribute('gen_ai.input.messages', `[${list(3_000_000, () => '[]')}]`)),
      '/v1/traces',
    ),
    upload(
      'OTLP protobuf: 120 KB of lists',
      'application/x-protobuf',
      () => protobufSpan(textAttribute('gen_ai.input.messages', `[${list(40_000, () => '[]')}]`)),
      '/v1/traces',
    ),
    upload(
      'OTLP protobuf: a text of 60 MB',
      'application/x-protobuf',
      () => protobufSpan(textAttribute('input.value', '潮'.repeat(20_000_000))),
      '/v1/traces',
    ),
    upload(
      'OTLP protobuf: 100,000 spans',
      'application/x-protobuf',
      () => {
        const one = protobufSpan(Buffer.alloc(0));
        return Buffer.concat(
          Array.from({ length: 100_000 }, (_, n) => {
            const span = Buffer.from(one);
            span.writeUInt32BE(n, span.indexOf(Buffer.alloc(8, 9)));
            return span;
          }),
        );
      },
      '/v1/traces',
    ),
    upload(
      'OTLP JSON: 100,000 spans, each below another',
      json,
      () => {
        const spanId = (n: number): string => (n + 1).toString(16).padStart(16, '0');
        const spans = list(
          100_000,
          (n) =>
            `{"traceId":"${'a2'.repeat(16)}","spanId":"${spanId(n)}","parentSpanId":"${spanId(n + 1)}","name":"s","startTimeUnixNano":"1790000000000000000","endTimeUnixNano":"1790000001000000000"}`,
        );
        return `{"resourceSpans":[{"scopeSpans":[{"spans":[${spans}]}]}]}`;
      },
      '/v1/traces',
    ),
    upload(
      'OTLP JSON: a resource of 490,000 elements',
      json,
      () =>
        otlp('').replace(
          '"scopeSpans"',
          () =>
            `"resource":{"attributes":[{"key":"k","value":{"arrayValue":{"values":[${list(490_000, () => '{"doubleValue":0.1}')}]}}}]},"scopeSpans"`,
        ),
      '/v1/traces',
    ),
    upload(
      'OTLP JSON: a resource of 19,000 attributes',
      json,
      () =>
        otlp('').replace(
          '"scopeSpans"',
          () =>
            `"resource":{"attributes":[${list(19_000, (n) => `{"key":"k${n}","value":{"stringValue":"${'x'.repeat(300)}"}}`)}]},"scopeSpans"`,
        ),
      '/v1/traces',
    ),
    upload(
      'OTLP JSON: a status of 60 MB',
      json,
      () => otlp('').replace('"name"', () => `"status":{"code":2,"message":"${'wave '.repeat(12_000_000)}"},"name"`),
      '/v1/traces',
    ),
    upload(
      'OTLP JSON: 120 KB of elements',
      json,
      () => otlp(`{"key":"k","value":{"arrayValue":{"values":[${list(12_000, () => '{"a":{}}')}]}}}`),
      '/v1/traces',
    ),
    upload(
      'OTLP logs: 490,000 elements',
      json,
      () => otlpLog(`{"key":"k","value":{"arrayValue":{"values":[${list(490_000, () => '{"doubleValue":0.1}')}]}}}`),
      '/v1/logs',
    ),
    upload(
      'OTLP logs: messages of lists',
      json,
      () => otlpLog(`{"key":"gen_ai.input.messages","value":{"stringValue":"[${list(2_000_000, () => '[]')}]"}}`),
      '/v1/logs',
    ),
    upload(
      'OTLP metrics: 60 MB of points',
      json,
      () =>
        `{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"sum":{"dataPoints":[${list(490_000, () => '{"asInt":"1"}')}]}}]}]}]}`,
      '/v1/metrics',
    ),
    {
      name: 'OTLP: gzip of 490,000 elements',
      path: '/v1/traces',
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      body: () =>
        gzipSync(otlp(`{"key":"k","value":{"arrayValue":{"values":[${list(490_000, () => '{"doubleValue":0.1}')}]}}}`)),
    },
    upload(
      'OTLP protobuf: 20 MB of wrappers',
      'application/x-protobuf',
      () => repeated(Buffer.from([0x0a, 0x00]), 10_000_000),
      '/v1/traces',
    ),
    {
      name: 'OTLP: a bomb of gzip',
      path: '/v1/traces',
      headers: { 'content-type': 'application/x-protobuf', 'content-encoding': 'gzip' },
      body: () => Buffer.concat(Array<Buffer>(32).fill(gzipSync(Buffer.alloc(16 << 20)))),
    },
    upload(
      'CSV: a million columns',
      'text/csv',
      () => `input,${list(1_000_000, () => 'input')}\n${list(1_000_000, () => '1')}\n`,
    ),
    upload('CSV: 400,000 cells in a row', 'text/csv', () => `input,b\n${','.repeat(400_000)}\n`.repeat(4)),
    upload('CSV: a cell of 9 MB of quotes', 'text/csv', () => `input\n"${'""'.repeat(4_500_000)}"\n`),
    upload(
      'CSV: a cell of objects',
      'text/csv',
      () => `input\n"${VALUES['objects of all names']!().replaceAll('"', '""')}"\n`,
    ),
    upload('CSV: 100,000 lines', 'text/csv', () => `input\n${'a\n'.repeat(100_000)}`),
    upload(
      'JSONL: a line of 9 MB',
      'application/jsonl',
      () => `{"input":${TEXTS['escaped quotes']!().slice(0, -1_000_000)}"}\n`,
    ),
    upload('JSONL: a line of objects', 'application/jsonl', () => `{"input":${VALUES['objects of all names']!()}}\n`),
    upload('JSON: an element of objects', json, () => `[{"input":${VALUES['objects of all names']!()}}]`),
    upload('JSON: 3,000,000 elements', json, () => `[${list(3_000_000, () => '[]')}]`),
    upload(
      'import: an item of objects',
      json,
      () => `{"version":1,"traces":[{"id":"${id()}","metadata":{"a":${VALUES['objects of all names']!()}}}]}`,
      '/api/import/json',
    ),
    upload(
      'import: 99,000 members',
      json,
      () => `{"version":1,${list(99_000, (n) => `"k${n}":[]`)}}`,
      '/api/import/json',
    ),
    upload(
      'a form of 90,000 parts',
      'multipart/form-data; boundary=b',
      () => `--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n`.repeat(90_000),
      imports,
    ),
    upload('a form of boundaries', 'multipart/form-data; boundary=b', () => '--b\r\n'.repeat(1_800_000), imports),
    upload(
      'a form without line ends',
      'multipart/form-data; boundary=b',
      () => `--b\r\nContent-Disposition: form-data; name="file"; filename="${'\\"'.repeat(4_000_000)}`,
      imports,
    ),
    { name: 'a million chunks of one byte', path: '', raw: () => oneByteChunks('/api/spans') },
    { name: 'a file in chunks of one byte', path: '', raw: () => oneByteChunks(imports) },
    {
      name: '100,000 requests in a row',
      path: '',
      raw: () => 'GET /livez HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n'.repeat(100_000),
    },
    { name: 'a filter of 12 KB', method: 'GET', path: `/api/spans?name_contains=${'%25_'.repeat(500)}&limit=1000` },
    {
      name: '3,000 ids in a query',
      method: 'GET',
      path: `/api/spans?${list(3_000, (n) => `ids=${n}`).replaceAll(',', '&')}`,
    },
    {
      name: '3,000 unknown parameters',
      method: 'GET',
      path: `/api/spans?${list(3_000, (n) => `k${n}=`).replaceAll(',', '&')}`,
    },
    { name: 'a cursor of 20 KB', method: 'GET', path: `/api/spans?cursor=${'W1tb'.repeat(5_000)}` },
    { name: 'a path of 20 KB', method: 'GET', path: `/api/spans/${'%2e'.repeat(2_500)}` },
    {
      name: 'a header of 30 KB',
      method: 'GET',
      path: '/api/spans',
      headers: () => ({ accept: `${'text/html;q=0.1,'.repeat(1_900)}`, range: `bytes=${'0-,'.repeat(10)}` }),
    },
    {
      name: '1,500 headers',
      method: 'GET',
      path: '/api/spans',
      headers: () => Object.fromEntries(Array.from({ length: 1_500 }, (_, n) => [`x-${n}`, '1'])),
    },
    {
      name: 'analytics: 100,000 hours',
      path: '/api/analytics',
      body: () => '{"group_by":"hour","fill":true,"since":"2015-01-01T00:00:00Z","until":"2026-05-01T00:00:00Z"}',
    },
    {
      name: 'a score with metadata of objects',
      path: '/api/scores',
      body: () => `{"name":"n","trace_id":"t","value":1,"metadata":{"a":${VALUES['objects of all names']!()}}}`,
    },
    { name: '100 comments of 10 KB', method: 'GET', path: '/api/comments?limit=1000' },
    { name: 'scores with large metadata', method: 'GET', path: '/api/scores?limit=1000' },
    { name: 'boards of 400 KB', method: 'GET', path: '/api/boards?limit=1000' },
    { name: 'runs with prompts of 2 MB', method: 'GET', path: `/api/datasets/${dataset}/eval` },
    {
      name: 'a scorer that looks at objects',
      path: `/api/scoring-rules/${scoringRule}/test`,
      body: () => `{"span_id":"${spanOfObjects}"}`,
    },
    {
      name: 'a judge that looks at objects',
      path: `/api/scoring-rules/${others.judge}/test`,
      body: () => `{"span_id":"${spanOfObjects}"}`,
    },
    {
      name: 'a judge that looks at a session',
      path: `/api/scoring-rules/${others.judgeOfSessions}/test`,
      body: () => `{"session_id":"${others.session}"}`,
    },
    ...cases({ objects: () => `"span_id":"${spanOfObjects}"`, ...TRIED }, (name, members) => ({
      name: `a try of ${name}`,
      path: '/api/try',
      body: () => `{"connection_id":"${others.connection}","model":"m",${members()}}`,
    })),
    { name: 'a trace of ten spans of 9 MB', method: 'GET', path: `/api/traces/${traceOfHugeSpans}` },
    { name: 'an outline of it', method: 'GET', path: `/api/traces/${traceOfHugeSpans}?view=outline&preview=1000` },
    { name: 'a list of it', method: 'GET', path: `/api/spans?trace_id=${traceOfHugeSpans}&limit=1000` },
    {
      name: 'a text search in it',
      method: 'GET',
      path: `/api/spans?trace_id=${traceOfHugeSpans}&text_contains=nowhere`,
    },
    { name: 'an export of the project', method: 'GET', path: '/api/export/json' },
    { name: 'an export of the dataset', method: 'GET', path: `/api/datasets/${dataset}/export?format=csv` },
    {
      name: 'MCP: a huge trace',
      path: '/mcp',
      headers: { accept: 'application/json, text/event-stream' },
      body: () =>
        `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_trace","arguments":{"trace_id":"${traceOfHugeSpans}"}}}`,
    },
    {
      name: 'huge spans into the dataset',
      path: `/api/datasets/${dataset}/export-spans`,
      body: () => `{"trace_ids":["${traceOfHugeSpans}"]}`,
    },
    { name: 'deletion of it', method: 'DELETE', path: `/api/traces/${traceOfHugeSpans}` },
  ];
}

const chat = (content: string, more = ''): string =>
  `{"model":"gpt-4o",${more}"messages":[{"role":"user","content":${content}}]}`;
const COMPLETIONS = '/v1/chat/completions';
const answered = (name: string): HostileCall => ({
  name: `answer: ${name}`,
  path: COMPLETIONS,
  headers: { 'x-bench-answer': name },
  body: () => chat('"hi"', name.includes('chunks') || name.includes('line') ? '"stream":true,' : ''),
});

/** Calls through the gateway. */
export function hostileGatewayCalls(): HostileCall[] {
  return [
    ...cases(TEXTS, (name, text) => ({ name: `prompt: ${name}`, path: COMPLETIONS, body: () => chat(text()) })),
    ...cases(VALUES, (name, value) => ({ name: `prompt: ${name}`, path: COMPLETIONS, body: () => chat(value()) })),
    { name: '60 KB of beginnings of a secret', path: COMPLETIONS, body: () => chat(textOf('sk-'.repeat(20_000))) },
    { name: '60 KB of sk-_', path: COMPLETIONS, body: () => chat(textOf('sk-_'.repeat(15_000))) },
    { name: '60 KB of sk--', path: COMPLETIONS, body: () => chat(textOf('sk--'.repeat(15_000))) },
    { name: '9 MB of lists', path: COMPLETIONS, body: () => chat(`[${list(3_000_000, () => '[]')}]`) },
    {
      name: '6,000 cookie values and 2 MB',
      path: COMPLETIONS,
      headers: () => ({
        cookie: Array.from({ length: 2_400 }, (_, n) => `${n.toString(36)}=${(n + 1e7).toString(36)}`).join('; '),
      }),
      body: () => chat(textOf('wave '.repeat(400_000))),
    },
    {
      name: '3,000 ?key= and 2 MB',
      path: `${COMPLETIONS}?${Array.from({ length: 1_500 }, (_, n) => `key=k${n + 1e7}`).join('&')}`,
      body: () => chat(textOf('wave '.repeat(400_000))),
    },
    {
      name: 'percent-encoded tokens',
      path: `${COMPLETIONS}?${Array.from({ length: 400 }, (_, n) => `token=%6b%65%79${n + 1e7}`).join('&')}`,
      headers: () => ({ authorization: `Bearer ${'%61'.repeat(3_000)}` }),
      body: () => chat(textOf('%61'.repeat(700_000))),
    },
    {
      name: 'embeddings of token lists',
      path: '/v1/embeddings',
      body: () => `{"model":"e","input":[${list(300, () => `[${list(1_600, (n) => String(10_000 + n))}]`)}]}`,
    },
    {
      name: 'embeddings of 1,500,000 tokens',
      path: '/v1/embeddings',
      body: () => `{"model":"e","input":[${list(1_500_000, () => '12345')}]}`,
    },
    {
      name: '2,000,000 lists of one token',
      path: '/v1/embeddings',
      body: () => `{"model":"e","input":[${list(1_900_000, () => '[1]')}]}`,
    },
    {
      name: '100,000 messages',
      path: COMPLETIONS,
      body: () => `{"model":"m","messages":[${list(100_000, () => '{"role":"user","content":"a@b.c"}')}]}`,
    },
    {
      name: '100,000 tools',
      path: COMPLETIONS,
      body: () => chat('"hi"', `"tools":[${list(100_000, (n) => `{"type":"function","function":{"name":"f${n}"}}`)}],`),
    },
    {
      name: '300,000 parameters',
      path: COMPLETIONS,
      body: () => chat('"hi"', `${list(300_000, (n) => `"k${n}":0`)},`),
    },
    { name: '10,000 levels', path: COMPLETIONS, body: () => chat(`${'['.repeat(10_000)}1${']'.repeat(10_000)}`) },
    { name: 'a number of 4,000,000 digits', path: COMPLETIONS, body: () => chat('1'.repeat(4_000_000)) },
    {
      name: 'half of a JSON of 9 MB',
      path: COMPLETIONS,
      body: () => chat(`[${list(1_500_000, () => '"a"')}`).slice(0, -3),
    },
    { name: '9 MB of wrong UTF-8', path: COMPLETIONS, body: () => Buffer.alloc(9_000_000, 0xff) },
    ...[
      'float vectors of 6 MB',
      'many vectors',
      '170,000 chunks',
      '100,000 chunks of a tool call',
      '9 MB without a line break',
      '4,500,000 line breaks',
      'lists in 9 MB',
      '500,000 members',
      'a text of 30 MB',
      'secrets in 1 MB',
      'lone surrogates',
      'half of a JSON',
      'gzip of a text of 30 MB',
      'gzip of lists in 9 MB',
      'gzip of 170,000 chunks',
      'a bomb of gzip',
      'a million chunks of one byte',
      '170,000 chunks, each an HTTP chunk',
      '500,000 answers of 103',
      '5,000 headers',
      'trailers of 10 MB',
      'chunk extensions of 10 MB',
    ].map(answered),
    {
      name: 'a recording that is 413',
      path: COMPLETIONS,
      headers: { 'x-bench-answer': 'characters of three bytes' },
      body: () => chat(TEXTS['characters of three bytes']!()),
    },
    {
      name: 'a recording of many texts that is 413',
      path: COMPLETIONS,
      headers: { 'x-bench-answer': 'characters of three bytes' },
      body: () => chat(`[${list(20_000, () => `"${'潮'.repeat(135)}"`)}]`),
    },
    {
      name: 'a recording of objects that is 413',
      path: COMPLETIONS,
      headers: { 'x-bench-answer': '500,000 members' },
      body: () => chat(VALUES['objects of all names']!()),
    },
    {
      name: 'a prompt of gzip',
      path: COMPLETIONS,
      headers: { 'content-encoding': 'gzip' },
      body: () => gzipSync(chat(textOf('wave '.repeat(4_000_000)))),
    },
    {
      name: 'a bomb of gzip',
      path: COMPLETIONS,
      headers: { 'content-encoding': 'gzip' },
      body: () => Buffer.concat(Array<Buffer>(64).fill(gzipSync(Buffer.alloc(16 << 20, 0x20)))),
    },
    {
      name: '2,000 headers',
      path: COMPLETIONS,
      headers: () => Object.fromEntries(Array.from({ length: 1_900 }, (_, n) => [`x-${n}`, '1'])),
      body: () => chat('"hi"'),
    },
    {
      name: 'X-Forward-URL of 60 KB of slashes',
      path: COMPLETIONS,
      headers: () => ({ 'x-forward-url': `http://127.0.0.1:9${'/'.repeat(60_000)}a` }),
      body: () => chat('"hi"'),
    },
    { name: 'a query of 50 KB', path: `${COMPLETIONS}?${'a=%61&'.repeat(8_000)}`, body: () => chat('"hi"') },
    { name: 'a query of brackets', path: `${COMPLETIONS}?${'a[]=&'.repeat(9_000)}`, body: () => chat('"hi"') },
    { name: 'a path of 50 KB', path: `/v1/${'%2e%2e/'.repeat(7_000)}`, body: () => chat('"hi"') },
    { name: 'a million chunks of one byte', path: '', raw: () => oneByteChunks(COMPLETIONS) },
    {
      name: '20 MB of empty frames',
      path: '',
      raw: () => Buffer.concat([Buffer.from(handshake('nothing')), EMPTY_FRAMES]),
    },
    { name: '20 MB of empty frames back', path: '', raw: () => handshake('frames') },
    {
      name: '100,000 requests in a row',
      path: '',
      raw: () => 'GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n'.repeat(100_000),
    },
  ];
}
