import { ERRORS } from '@spandrel/contract';
import type { CallerApi } from '@spandrel/http';
import { DomainError, Invalid, invalidRequest, schemaFaults, type Logger } from '@spandrel/kernel';
import { MAX_CHARS_DEFAULT, MAX_CHARS_MAX, MAX_CHARS_MIN } from '../arguments/argument-schema.js';
import type { McpMetrics } from '../mcp-metrics.js';
import { LongTexts } from '../reading/long-texts.js';
import type { Tool } from '../tools/tool.js';
import type { ToolCatalog } from './tool-catalog.js';

/** What a tool answered, as MCP has it: one text of compact JSON. */
export interface ToolResult {
  content: { type: 'text'; text: string }[];
  isError?: true;
}

/** A call of a tool. */
export interface ToolCall {
  name: string;
  arguments: Readonly<Record<string, unknown>> | undefined;
}

/** Calls tools in the name of callers (docs/spec/mcp.md#answers). */
export class CallTool {
  private readonly texts = new LongTexts();

  constructor(
    private readonly catalog: ToolCatalog,
    private readonly metrics: McpMetrics,
    private readonly logger: Logger,
  ) {}

  /** @returns `undefined` when the caller has no such tool. */
  async execute({ name, arguments: given = {} }: ToolCall, api: CallerApi): Promise<ToolResult | undefined> {
    const tool = this.catalog.find(name, api);
    if (!tool) return undefined;
    // Agents send null for what they leave out.
    const args = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
    try {
      const text = await this.answer(tool, args, api);
      this.metrics.count(name, 'ok');
      return { content: [{ type: 'text', text }] };
    } catch (error) {
      const known = this.known(error, name);
      this.metrics.count(name, ERRORS[known.code].status >= 500 ? 'failed' : 'refused');
      return { content: [{ type: 'text', text: errorText(known, roomOf(args['max_chars'])) }], isError: true };
    }
  }

  private answer(tool: Tool, args: Readonly<Record<string, unknown>>, api: CallerApi): Promise<string> {
    const parsed = tool.schema.safeParse(args);
    if (!parsed.success) throw asArguments(invalidRequest(schemaFaults(parsed.error, tool.schema), 'the arguments'));
    const { max_chars: maxChars = MAX_CHARS_DEFAULT, ...others } = parsed.data;
    return tool.answer(others, { api, maxChars: maxChars as number, texts: this.texts });
  }

  private known(error: unknown, tool: string): DomainError {
    if (error instanceof DomainError) return error;
    this.logger.error({ err: error, tool }, 'an MCP tool failed');
    return new DomainError('internal', 'something went wrong on the server');
  }
}

/** Faults name members of an object; to an agent they are arguments of the tool. */
function asArguments(fault: Invalid): Invalid {
  const worded = (text: string): string =>
    text.replaceAll('is not a member of this object', 'is not an argument of this tool');
  return new Invalid(
    'validation_failed',
    worded(fault.message),
    fault.errors?.map(({ path, message }) => ({ path, message: worded(message) })),
  );
}

/** Room for an error: as much as was asked for, where that is known. */
const roomOf = (maxChars: unknown): number =>
  typeof maxChars === 'number' && maxChars >= MAX_CHARS_MIN && maxChars <= MAX_CHARS_MAX ? maxChars : MAX_CHARS_MIN;

/** An error as an agent reads it: the code and the detail of the API, and as many of its faults as there is room for. */
function errorText({ code, message, errors = [] }: DomainError, room: number): string {
  const detail = message.length > DETAIL_CHARS ? `${message.slice(0, DETAIL_CHARS)}…` : message;
  const faults = errors.length > 1 ? [...errors] : [];
  for (;;) {
    const text = JSON.stringify({ code, detail, ...(faults.length > 0 && { errors: faults }) });
    if (text.length <= room || faults.length === 0) return text;
    faults.pop();
  }
}

/** A detail is one sentence; in the worst case each of its characters is written as an escape. */
const DETAIL_CHARS = 300;
