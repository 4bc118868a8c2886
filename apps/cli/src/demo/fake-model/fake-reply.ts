import { FAKE_MODELS } from './fake-models.js';

/** A message of a chat request, as far as the fake reads it. */
interface Message {
  role?: unknown;
  content?: unknown;
}

/** A request's body, as far as the fake reads it. */
export interface FakeRequest {
  model?: unknown;
  messages?: readonly Message[];
  tools?: unknown;
  stream?: unknown;
  stream_options?: { include_usage?: unknown } | null;
  input?: unknown;
}

/** What the fake says: a text, a call of a tool, or an error in place of an answer. */
export type FakeReply =
  | { text: string }
  | { tool: { name: string; arguments: string } }
  | { status: number; code: string; message: string };

/** Longest prompt that the fake takes, in characters: a real model has a limit too, and the demo shows how it looks. */
const PROMPT_LENGTH_MAX = 1_000;

/** All that the fake knows. It is wrong about Australia, so that a score and a review have something to find. */
const CAPITALS: Readonly<Record<string, string>> = {
  Australia: 'Sydney',
  Brazil: 'Brasília',
  Canada: 'Ottawa',
  France: 'Paris',
  Japan: 'Tokyo',
  Kenya: 'Nairobi',
};

/** What the fake chat models say to a request: always the same to the same. */
export function fakeReply({ model, messages = [], tools }: FakeRequest): FakeReply {
  if (model !== FAKE_MODELS.chat && model !== FAKE_MODELS.agent) {
    return { status: 404, code: 'model_not_found', message: `The model \`${String(model)}\` does not exist` };
  }
  const last = messages.at(-1);
  const said = textOf(last);
  if (messages.reduce((length, message) => length + textOf(message).length, 0) > PROMPT_LENGTH_MAX) {
    const message = `This fake model's maximum context length is ${PROMPT_LENGTH_MAX} characters`;
    return { status: 400, code: 'context_length_exceeded', message };
  }
  if (last?.role === 'tool') return { text: `The tool says: ${said}` };
  const country = Object.keys(CAPITALS).find((name) => said.includes(name));
  const city = country && CAPITALS[country];
  if (Array.isArray(tools) && tools.length > 0 && city !== undefined) {
    return { tool: { name: 'get_weather', arguments: JSON.stringify({ city }) } };
  }
  return { text: city ?? `I am a fake model and know the capitals of ${Object.keys(CAPITALS).join(', ')} only.` };
}

const textOf = (message: Message | undefined): string =>
  typeof message?.content === 'string' ? message.content : JSON.stringify(message?.content ?? '');
