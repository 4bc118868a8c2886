import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A model in OpenAI's format that says what it was asked and a text of its own. */
export interface LeakyModel {
  url: string;
  /** Lets streams that were asked to wait go on to their end. */
  goOn(): void;
  close(): void;
}

interface ChatBody {
  model: string;
  stream?: boolean;
  messages: { content: string }[];
}

/** @param says what every answer ends with. An `x-wait` in the request holds a stream open before its end. */
export async function startLeakyModel(says: string): Promise<LeakyModel> {
  const waiting: (() => void)[] = [];
  const server: Server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => (text += String(chunk)));
    request.on('end', () => {
      const body = JSON.parse(text) as ChatBody;
      const answer = `You said ${body.messages.at(-1)!.content}. ${says}`;
      if (request.headers['x-refuse']) refuse(response, answer);
      else if (body.stream !== true) whole(response, body, answer);
      else {
        const end = stream(response, body, answer);
        if (request.headers['x-wait']) waiting.push(end);
        else end();
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    goOn: () => waiting.splice(0).forEach((end) => end()),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

const usage = { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 };

function whole(response: ServerResponse, { model }: ChatBody, content: string): void {
  const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }];
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ id: 'c', model, choices, usage }));
}

function refuse(response: ServerResponse, message: string): void {
  response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ error: { message } }));
}

/** Sends everything but the end. @returns sends the end. */
function stream(response: ServerResponse, { model }: ChatBody, content: string): () => void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const chunk = (delta: object, finish: string | null): string =>
    `data: ${JSON.stringify({ id: 'c', model, choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  // Cut in the middle of what must not be kept.
  for (let at = 0; at < content.length; at += 7) response.write(chunk({ content: content.slice(at, at + 7) }, null));
  return () => response.end(`${chunk({}, 'stop')}data: [DONE]\n\n`);
}
