import { buffersOf } from '../../components/json-tree/json-index.js';
import { serveCalls } from '../worker-calls.js';
import type { CurlOptions, Format, PayloadSummary, Section } from './payload-types.js';
import { SpanPayload } from './span-payload.js';

const payloads = new Map<number, SpanPayload>();

function opened({ payload }: { payload: number }): SpanPayload {
  const found = payloads.get(payload);
  if (found === undefined) throw new Error('The span was closed meanwhile.');
  return found;
}

interface Asked {
  payload: number;
}

interface AskedSection extends Asked {
  section: Section;
}

const CALLS = {
  open({ payload, text }: Asked & { text: string }): PayloadSummary {
    const read = new SpanPayload(text);
    payloads.set(payload, read);
    return read.summary();
  },
  close: ({ payload }: Asked) => payloads.delete(payload),
  json: (asked: AskedSection) => opened(asked).jsonOf(asked.section),
  text: (asked: AskedSection) => opened(asked).textOf(asked.section),
  markdown: (asked: AskedSection) => opened(asked).markdownOf(asked.section),
  find: (asked: AskedSection & { format: Format; sought: string }) =>
    opened(asked).find(asked.section, asked.format, asked.sought),
  messages: (asked: Asked) => opened(asked).messages(),
  datapoint: (asked: Asked) => opened(asked).datapoint(),
  recordedCall: (asked: Asked) => opened(asked).recordedCall(),
  curl: (asked: Asked & CurlOptions) => opened(asked).curl(asked),
};
export type PayloadCalls = typeof CALLS;

/** Arrays are handed over instead of copied. */
serveCalls(CALLS, (answer) => {
  const { index, starts } = (answer ?? {}) as { index?: Parameters<typeof buffersOf>[0]; starts?: Int32Array };
  return [...(index ? buffersOf(index) : []), ...(starts ? [starts.buffer] : [])] as Transferable[];
});
