import type { Endpoint, RecordedRequest } from '../provider.js';
import { embeddedErrorOf } from '../wire/error-message.js';
import { filledTextOf, objectOf } from '../wire/lenient-json.js';
import { messagesOf, withSystemFirst } from '../wire/messages.js';
import { answerOf } from './answer-of.js';
import { ChunkStream } from './chunk-stream.js';
import { viewOf, type DeclaredEndpoint, type DeclaredRequest } from './declared-endpoint.js';

/** The endpoint that a declaration describes; what its readers return is taken leniently. */
export function endpointOf(path: string, declared: DeclaredEndpoint): Endpoint {
  const streams = declared.readChunk !== undefined;
  return {
    name: declared.name ?? path.slice(1),
    framing: declared.framing ?? 'sse',
    readRequest(body) {
      const asked = streams && viewOf(body)['stream'] === (true as unknown);
      return requestOf(declared.readRequest(viewOf(body)), asked);
    },
    readAnswer: (body) => answerOf(declared.readAnswer(viewOf(body)), () => embeddedErrorOf(body)),
    readStream: () => new ChunkStream(declared),
  };
}

function requestOf({ model, input, streaming, parameters }: DeclaredRequest, asked: boolean): RecordedRequest {
  return {
    model: filledTextOf(model),
    input: typeof input === 'string' ? withSystemFirst(null, input) : messagesOf(input),
    streaming: typeof streaming === 'boolean' ? streaming : asked,
    parameters: { ...objectOf(parameters) },
  };
}
