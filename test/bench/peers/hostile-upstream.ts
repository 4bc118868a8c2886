/** The model provider of the hostile bench: answers what the header `x-bench-answer` asks for. */
import { createServer } from 'node:http';

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
  'lone surrogates': () => json(`{"choices":[{"message":{"content":"${'\\ud83d'.repeat(1_500_000)}"}}]}`),
  'half of a JSON': () => json(`{"choices":[{"message":{"content":"${'a\\"'.repeat(2_000_000)}`),
};
const made = new Map<string, [string, Buffer]>();

createServer((request, response) => {
  request.resume().on('end', () => {
    const name = String(request.headers['x-bench-answer'] ?? 'small');
    let answer = made.get(name);
    if (!answer) {
      const [mediaType, text] = (ANSWERS[name] ?? ANSWERS['small']!)();
      made.set(name, (answer = [mediaType, Buffer.from(text)]));
    }
    response.writeHead(200, { 'content-type': answer[0] });
    response.end(answer[1]);
  });
}).listen(Number(process.argv[2]), '127.0.0.1');
