/** The model provider of the hostile bench: answers what the header `x-bench-answer` asks for. */
import { createServer } from 'node:http';
import { gzipSync } from 'node:zlib';

const completion = (content: unknown): string =>
  JSON.stringify({
    id: 'chatcmpl-bench',
    object: 'chat.completion',
    created: 1_790_000_000,
    model: 'gpt-4o',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  });
const embeddings = (data: unknown): string =>
  JSON.stringify({ object: 'list', model: 'e', data, usage: { prompt_tokens: 1, total_tokens: 1 } });
const list = (length: number, item: (n: number) => string): string => Array.from({ length }, (_, n) => item(n)).join();
const chunk = (delta: unknown): string =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', model: 'gpt-4o', choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`;
const toolChunk = (text: string): string => chunk({ tool_calls: [{ index: 0, function: { arguments: text } }] });
const stream = (text: string): [string, string] => ['text/event-stream', `${text}data: [DONE]\n\n`];
const json = (text: string): [string, string] => ['application/json', text];

/** Media type and body by name. */
const ANSWERS: Record<string, () => [string, string]> = {
  small: () => json(completion('hello')),
  'float vectors of 6 MB': () =>
    json(
      `{"object":"list","model":"e","data":[{"object":"embedding","index":0,"embedding":[${list(300_000, (n) => `0.0123456789${100_000_000 + n}`)}]}],"usage":{"prompt_tokens":1,"total_tokens":1}}`,
    ),
  'many vectors': () =>
    json(
      embeddings(
        Array.from({ length: 100_000 }, (_, index) => ({ object: 'embedding', index, embedding: [0.1, 0.2] })),
      ),
    ),
  '170,000 chunks': () => stream(chunk({ content: 'a ' }).repeat(170_000)),
  '100,000 chunks of a tool call': () => stream(toolChunk('{"a":').repeat(1) + toolChunk('[').repeat(100_000)),
  '9 MB without a line break': () => stream(`data: ${'x'.repeat(9_000_000)}`),
  '4,500,000 line breaks': () => stream('\n\n'.repeat(2_250_000)),
  'lists in 9 MB': () => json(`{"choices":[{"message":{"content":[${list(3_000_000, () => '[]')}]}}]}`),
  '500,000 members': () => json(`{${list(500_000, (n) => `"k${n}":0`)}}`),
  'a text of 30 MB': () => json(completion('wave '.repeat(6_000_000))),
  'secrets in 1 MB': () => json(completion('sk-'.repeat(350_000))),
  'characters of three bytes': () => json(completion('潮'.repeat(3_300_000))),
  'lone surrogates': () => json(`{"choices":[{"message":{"content":"${'\\ud83d'.repeat(1_500_000)}"}}]}`),
  'half of a JSON': () => json(`{"choices":[{"message":{"content":"${'a\\"'.repeat(2_000_000)}`),
};
/** Bodies that are sent with `content-encoding: gzip`. */
const ZIPPED: Record<string, () => [string, Buffer]> = {
  'gzip of a text of 30 MB': () => zipped(ANSWERS['a text of 30 MB']!()),
  'gzip of lists in 9 MB': () => zipped(ANSWERS['lists in 9 MB']!()),
  'gzip of 170,000 chunks': () => zipped(ANSWERS['170,000 chunks']!()),
  'a bomb of gzip': () => [
    'application/json',
    Buffer.concat(Array<Buffer>(64).fill(gzipSync(Buffer.alloc(16 << 20, 0x20)))),
  ],
};
const zipped = ([mediaType, text]: [string, string]): [string, Buffer] => [mediaType, gzipSync(text)];
const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n';
/** All that is sent on the connection, which ends with it. */
const RAW: Record<string, () => string> = {
  'a million chunks of one byte': () =>
    `${HEAD}transfer-encoding: chunked\r\n\r\n${'1\r\na\r\n'.repeat(1_000_000)}0\r\n\r\n`,
  '170,000 chunks, each an HTTP chunk': () => {
    const event = chunk({ content: 'a ' });
    return `${HEAD}transfer-encoding: chunked\r\n\r\n${`${event.length.toString(16)}\r\n${event}\r\n`.repeat(170_000)}0\r\n\r\n`;
  },
  '500,000 answers of 103': () =>
    `${'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(500_000)}HTTP/1.1 204 No Content\r\n\r\n`,
  '5,000 headers': () => `${HEAD}${list(2_000, (n) => `x-${n}: 1\r\n`).replaceAll(',', '')}content-length: 0\r\n\r\n`,
  'trailers of 10 MB': () => `${HEAD}transfer-encoding: chunked\r\n\r\n0\r\n${'a: b\r\n'.repeat(1_600_000)}\r\n`,
  'chunk extensions of 10 MB': () =>
    `${HEAD}transfer-encoding: chunked\r\n\r\n1;${'a=b;'.repeat(2_500_000)}\r\na\r\n0\r\n\r\n`,
};
// Made before the first call, so that nobody waits while one is.
const bodies = new Map<string, [string, Buffer]>(
  Object.entries(ANSWERS).map(([name, make]) => {
    const [mediaType, text] = make();
    return [name, [mediaType, Buffer.from(text)]];
  }),
);
for (const [name, make] of Object.entries(ZIPPED)) bodies.set(name, make());
const raws = new Map(Object.entries(RAW).map(([name, make]) => [name, Buffer.from(make(), 'latin1')]));
const frames = Buffer.alloc(20_000_000, Buffer.from([0x82, 0x00]));

createServer({ maxHeaderSize: 256 * 1024 }, (request, response) => {
  request.resume().on('end', () => {
    const name = String(request.headers['x-bench-answer'] ?? 'small');
    const raw = raws.get(name);
    if (raw) {
      request.socket.end(raw);
      return;
    }
    const [mediaType, body] = bodies.get(name) ?? bodies.get('small')!;
    response.writeHead(200, { 'content-type': mediaType, ...(ZIPPED[name] && { 'content-encoding': 'gzip' }) });
    response.end(body);
  });
})
  .on('upgrade', (request, socket) => {
    socket.on('error', () => undefined).resume();
    socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n');
    if (request.headers['x-bench-answer'] === 'frames') socket.end(frames);
    else setTimeout(() => socket.end(), 2_000);
  })
  .listen(Number(process.argv[2]), '127.0.0.1');
