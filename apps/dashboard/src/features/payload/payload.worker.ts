import { buffersOf } from '../../components/json-tree/json-index.js';
import type { PayloadQuestion, PayloadQuestions, PayloadReply, PayloadRequest } from './payload-protocol.js';
import { SpanPayload } from './span-payload.js';

/** The worker's own side, as far as it is used here. */
interface WorkerScope {
  onmessage: ((event: MessageEvent<PayloadRequest>) => void) | null;
  postMessage(reply: PayloadReply, transfer: Transferable[]): void;
}

const scope = globalThis as unknown as WorkerScope;
const payloads = new Map<number, SpanPayload>();

scope.onmessage = ({ data: { id, payload, question, given } }) => {
  try {
    const answer = ask(payload, question, given);
    scope.postMessage({ id, answer }, transferables(answer));
  } catch (error) {
    scope.postMessage({ id, fault: error instanceof Error ? error.message : String(error) }, []);
  }
};

function ask(payload: number, question: PayloadQuestion, given: PayloadRequest['given']): unknown {
  if (question === 'open') {
    const opened = new SpanPayload((given as PayloadQuestions['open']['given']).text);
    payloads.set(payload, opened);
    return opened.summary();
  }
  if (question === 'close') return payloads.delete(payload) && null;
  const opened = payloads.get(payload);
  if (opened === undefined) throw new Error('The span was closed meanwhile.');
  return answerOf(opened, question, given);
}

function answerOf(opened: SpanPayload, question: PayloadQuestion, given: PayloadRequest['given']): unknown {
  const { section, format, sought } = given as PayloadQuestions['find']['given'];
  switch (question) {
    case 'json':
      return opened.jsonOf(section);
    case 'text':
      return opened.textOf(section);
    case 'markdown':
      return opened.markdownOf(section);
    case 'find':
      return opened.find(section, format, sought);
    case 'datapoint':
      return opened.datapoint();
    case 'messages':
      return opened.messages();
    default:
      return opened.curl(given as PayloadQuestions['curl']['given']);
  }
}

/** Arrays are handed over instead of copied. */
function transferables(answer: unknown): Transferable[] {
  const { index, starts } = (answer ?? {}) as { index?: Parameters<typeof buffersOf>[0]; starts?: Int32Array };
  return [...(index ? buffersOf(index) : []), ...(starts ? [starts.buffer] : [])] as Transferable[];
}
