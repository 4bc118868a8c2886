import { errorMessage, jsonAnswer, ndjsonAnswer, tokensOf, type FakeAnswer, type FakeCall } from './answer.ts';
import { FAKE_USAGE } from './usage.ts';

const CREATED_AT = '2026-11-01T08:52:19.385406455Z';
const TOOL_CALL = { function: { name: 'get_tide', arguments: { harbour: '長崎' } } };

/** Ollama's own API. */
export function ollamaAnswer(call: FakeCall): FakeAnswer {
  const model = call.body['model'];
  switch (call.path.slice(call.path.lastIndexOf('/') + 1)) {
    case 'tags':
      return jsonAnswer({
        models: [{ name: 'llama3.2:latest', model: 'llama3.2:latest', modified_at: CREATED_AT, size: 1 }],
      });
    case 'version':
      return jsonAnswer({ version: '0.30.0' });
    case 'embed':
      return jsonAnswer({
        model,
        embeddings: [[0.5, -0.25]],
        total_duration: 1,
        load_duration: 1,
        prompt_eval_count: FAKE_USAGE.input,
      });
    case 'embeddings':
      return jsonAnswer({ embedding: [0.5, -0.25] });
    case 'chat':
      return generation(call, (piece) => ({ message: { role: 'assistant', content: '', ...piece } }));
    case 'generate':
      return generation(call, ({ content = '', ...piece }) => ({ response: content, ...piece }));
    default:
      return jsonAnswer({ status: 'success' });
  }
}

export const ollamaError = (status: number, call: FakeCall): FakeAnswer =>
  jsonAnswer({ error: errorMessage(status, call) }, status);

interface Piece {
  content?: string;
  thinking?: string;
  tool_calls?: object[];
}

function generation(call: FakeCall, membersOf: (piece: Piece) => object): FakeAnswer {
  const line = (piece: Piece, end: object = { done: false }) => ({
    model: call.body['model'],
    created_at: CREATED_AT,
    ...membersOf(piece),
    ...end,
  });
  const end = {
    done: true,
    done_reason: 'stop',
    total_duration: 4883583458,
    load_duration: 1334875,
    prompt_eval_count: FAKE_USAGE.input,
    prompt_eval_duration: 342546000,
    eval_count: FAKE_USAGE.output,
    eval_duration: 453559900,
  };
  const thinking: Piece = call.scenario.has('reasoning') ? { thinking: 'Hm, tides.' } : {};
  const said: Piece = call.scenario.has('tools') ? { tool_calls: [TOOL_CALL] } : { content: call.text };
  if (call.body['stream'] === false) return jsonAnswer(line({ ...thinking, ...said }, end));
  return ndjsonAnswer([
    ...(thinking.thinking === undefined ? [] : [line(thinking)]),
    ...(said.tool_calls ? [line(said)] : tokensOf(call.text).map((content) => line({ content }))),
    line({}, end),
  ]);
}
