import type { JsonIndex } from '../../components/json-tree/json-index.js';
import type { Message } from '../messages/message.js';

/** Parts of a span that are read by themselves; `call` is input and output together, `raw` the span as it was answered. */
export type Section = 'input' | 'output' | 'metadata' | 'call' | 'raw';

export type Format = 'rendered' | 'text' | 'json';

/** A text with the offsets at which its rows begin. */
export interface TextRows {
  text: string;
  starts: Int32Array;
}

/** A JSON text with the places of its values. */
export interface JsonText {
  text: string;
  index: JsonIndex;
}

/** What a span's texts come to, before any of them is shown. */
export interface PayloadSummary {
  /** Characters of each section as JSON; 0 where there is nothing. */
  lengths: Readonly<Record<Section, number>>;
  timeToFirstTokenMs: number | null;
  finishReason: string | null;
}

/** The gateway that a call is repeated through. */
export interface CurlOptions {
  url: string;
  /** Whether it wants a key of its own. */
  isCloud: boolean;
}

/** A recorded call of a model, to be made again. */
export interface ShownCall {
  /** JSON of the call (`null` where there are no messages), and of the span with its answer in the usual form. */
  json: string;
  shown: readonly (Message | null)[];
}

/** A datapoint as people read it: its messages, what it expects, and its other texts by name. */
export interface ShownDatapoint {
  kind: 'Conversation' | 'Generic';
  messages: readonly Message[];
  /** `''`: nothing. */
  expected: string;
  /** Whether there is an answer that was not understood. */
  isUnread: boolean;
  texts: readonly { name: string; text: string }[];
}
