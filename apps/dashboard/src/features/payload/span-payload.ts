import {
  datapointOfTexts,
  filledText,
  objectOf,
  readAnswer,
  readExactJson,
  recordedCall,
  type JsonObject,
} from '@spandrel/contract/browser';
import { indexJson, memberOf, type JsonIndex } from '../../components/json-tree/json-index.js';
import { indentJson, readableText } from '../../components/json-tree/written-json.js';
import { findInText, rowStarts, type TextMatch } from '../../components/text-view/text-rows.js';
import { jsonText, type Message } from '../messages/message.js';
import { messagesOf } from '../messages/messages-of.js';
import { curlOf } from './copy-as-curl.js';
import type {
  CurlOptions,
  Format,
  JsonText,
  PayloadSummary,
  Section,
  ShownCall,
  ShownDatapoint,
  TextRows,
} from './payload-types.js';

/** Markdown of more than this takes a browser too long to lay out. */
const MARKDOWN_MAX = 100_000;

/**
 * The texts of one span, kept as the JSON that the service answered, so that no digit is lost. It does the work of a
 * worker: everything that takes longer the larger the span is.
 */
export class SpanPayload {
  private readonly index: JsonIndex;
  private parsed: JsonObject | null = null;

  /** @param json the answer of `GET /api/spans/:id`. @throws Error when that is no JSON object. */
  constructor(private readonly json: string) {
    const index = indexJson(json);
    if (index === null) throw new Error('The answer of the server could not be read.');
    this.index = index;
  }

  summary(): PayloadSummary {
    const timing = this.sourceOf('metadata', 'time_to_first_token_ms');
    const reason = this.sourceOf('output', 'finish_reason');
    return {
      lengths: {
        input: this.lengthOf('input'),
        output: this.lengthOf('output'),
        metadata: this.lengthOf('metadata'),
        call: this.lengthOf('input') + this.lengthOf('output'),
        raw: this.json.length,
      },
      timeToFirstTokenMs: timing !== null && /^\d/.test(timing) ? Number(timing) : null,
      finishReason: reason?.startsWith('"') ? (JSON.parse(reason) as string) : null,
    };
  }

  jsonOf(section: Section): JsonText {
    const text = this.sectionJson(section);
    return { text, index: indexJson(text)! };
  }

  textOf(section: Section): TextRows {
    const text = this.shownText(section);
    return { text, starts: rowStarts(text) };
  }

  /** A text, or the text of an answer. */
  markdownOf(section: Section): string | null {
    const value = this.value()[section];
    const text = filledText(section === 'output' ? readAnswer(value).text : value);
    return text !== null && text.length <= MARKDOWN_MAX ? text : null;
  }

  find(section: Section, format: Format, sought: string): TextMatch[] {
    if (format !== 'json') return findInText(this.shownText(section), sought);
    // The tree shows texts decoded; in the JSON they stand with escapes.
    return findInText(this.sectionJson(section), JSON.stringify(sought).slice(1, -1));
  }

  messages(): Message[] {
    const { input, output } = this.value();
    return messagesOf(input, output);
  }

  /** The datapoint that the span would become. */
  datapoint(): ShownDatapoint {
    const { kind, input = null, output = null } = this.value();
    const made = datapointOfTexts({ input, output, isLlmCall: objectOf(kind)['type'] === 'llm_call' });
    if ('Generic' in made) {
      const { expected_output: expected } = made.Generic;
      const text = expected === output ? this.shownText('output') : (expected as string);
      return {
        ...{ kind: 'Generic', messages: [], isUnread: false },
        expected: output === null ? '' : text,
        texts: [{ name: 'Input', text: this.shownText('input') }],
      };
    }
    const { messages, expected, metadata } = made.LlmConversation;
    return {
      kind: 'Conversation',
      messages: messagesOf(messages, null),
      expected: expected ?? '',
      isUnread: expected === null && output !== null,
      texts: metadata ? [{ name: 'Metadata', text: jsonText(metadata) }] : [],
    };
  }

  recordedCall(): ShownCall {
    const { input = null, kind, metadata, ...span } = this.value();
    const call = recordedCall({ input, kind, metadata });
    const { text, toolCalls } = readAnswer(span['output']);
    const output = { text, tool_calls: toolCalls };
    return {
      json: JSON.stringify({ call, span: { ...span, kind, metadata, output } }),
      shown: (call?.messages ?? []).map((message) => messagesOf([message], null)[0] ?? null),
    };
  }

  curl(options: CurlOptions): string {
    const { kind, input, metadata } = this.value();
    return curlOf({ kind, input, metadata }, options);
  }

  private shownText(section: Section): string {
    const json = this.sectionJson(section);
    const index = indexJson(json)!;
    return section === 'raw' ? indentJson(json, index, 0) : readableText(json, index, 0);
  }

  private sectionJson(section: Section): string {
    if (section === 'raw') return this.json;
    if (section === 'call') return `{"input":${this.sectionJson('input')},"output":${this.sectionJson('output')}}`;
    return this.source(memberOf(this.json, this.index, 0, section)) ?? 'null';
  }

  private lengthOf(section: 'input' | 'output' | 'metadata'): number {
    const json = this.sectionJson(section);
    return json === 'null' ? 0 : json.length;
  }

  private sourceOf(section: string, member: string): string | null {
    return this.source(memberOf(this.json, this.index, memberOf(this.json, this.index, 0, section), member));
  }

  private source(node: number): string | null {
    return node === -1 ? null : this.json.slice(this.index.from[node], this.index.to[node]);
  }

  /** The span as a value, which is made only for what needs one. */
  private value(): JsonObject {
    this.parsed ??= objectOf(typeof JSON.rawJSON === 'function' ? readExactJson(this.json) : JSON.parse(this.json));
    return this.parsed;
  }
}
