/** The model provider of the bench: 1 KB chat completions, or 50 chunks of server-sent events when asked to stream. */
import { createServer } from 'node:http';

const answer = JSON.stringify({
  id: 'chatcmpl-bench',
  object: 'chat.completion',
  created: 1_790_000_000,
  model: 'gpt-4o-2024-08-06',
  choices: [
    { index: 0, message: { role: 'assistant', content: 'x'.repeat(700), refusal: null }, finish_reason: 'stop' },
  ],
  usage: { prompt_tokens: 120, completion_tokens: 80, total_tokens: 200 },
});
const chunk = (delta: object, finish: string | null): string =>
  `data: ${JSON.stringify({ id: 'chatcmpl-bench', object: 'chat.completion.chunk', created: 1_790_000_000, model: 'gpt-4o-2024-08-06', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const chunks = [
  ...Array.from({ length: 48 }, (_, i) => chunk({ content: `word ${i} ` }, null)),
  chunk({}, 'stop'),
  'data: [DONE]\n\n',
];

createServer((request, response) => {
  let streams = false;
  request.on('data', (bytes: Buffer) => (streams ||= bytes.includes('"stream":true')));
  request.on('end', () => {
    if (!streams) {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(answer) });
      response.end(answer);
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    let next = 0;
    const write = (): void => {
      response.write(chunks[next++]);
      if (next < chunks.length) setImmediate(write);
      else response.end();
    };
    write();
  });
}).listen(Number(process.argv[2]), '127.0.0.1');
