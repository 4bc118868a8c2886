import { Inject, Injectable } from '@nestjs/common';
import { Counter, type Registry } from '@prometheus-io/client';
import { ERRORS } from '@spandrel/contract';
import type { CallerApi } from '@spandrel/http';
import { DomainError, Invalid, invalidRequest, LOGGER, METRICS, schemaFaults, type Logger } from '@spandrel/kernel';
import { MAX_CHARS_DEFAULT, MAX_CHARS_MAX, MAX_CHARS_MIN, type JsonSchema } from '../arguments/argument-schema.js';
import { McpSettings } from '../mcp.settings.js';
import { TOOLS } from '../tools/all-tools.js';
import type { LastText, Tool, ToolContext } from '../tools/tool.js';

/** What a tool answered, as MCP has it: one text of compact JSON. */
export interface ToolResult {
  content: { type: 'text'; text: string }[];
  isError?: true;
}

/** The tools of this server, called in the name of callers (docs/spec/mcp.md#answers). */
@Injectable()
export class CallTool {
  private readonly lastText: LastText = {};
  private readonly tools: readonly Tool[];
  private readonly calls: Counter<'tool' | 'result'>;

  constructor(
    { write }: McpSettings,
    @Inject(METRICS) registry: Registry,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.tools = TOOLS.filter(({ writes }) => write || !writes);
    this.calls = new Counter({
      name: 'spandrel_mcp_calls_total',
      help: 'Calls of MCP tools, by tool and result: ok, refused (what was asked), failed (the server).',
      labelNames: ['tool', 'result'] as const,
      registers: [registry],
    });
    // From 0, so that an alert sees the first one.
    for (const { name: tool } of TOOLS)
      for (const result of ['ok', 'refused', 'failed']) this.calls.inc({ tool, result }, 0);
  }

  /** @returns the tools that a caller may use, as MCP lists them. */
  async list(api: CallerApi) {
    const mine = this.tools.filter((tool) => mayUse(tool, api));
    const available = await Promise.all(mine.map(async (tool) => (await tool.isAvailable?.(api)) ?? true));
    return mine.filter((_tool, index) => available[index]).map(listed);
  }

  /** @returns `undefined` when the caller has no such tool. */
  async execute(
    { name, arguments: given = {} }: { name: string; arguments?: Readonly<Record<string, unknown>> | undefined },
    api: CallerApi,
  ): Promise<ToolResult | undefined> {
    const tool = this.tools.find((each) => each.name === name);
    if (!tool || !mayUse(tool, api)) return undefined;
    const { args, empty } = readArguments(given, tool.inputSchema, !tool.writes);
    try {
      const text = await this.answer(tool, args, { api, lastText: this.lastText, empty });
      this.calls.inc({ tool: name, result: 'ok' });
      return { content: [{ type: 'text', text }] };
    } catch (error) {
      const known = this.known(error, name);
      this.calls.inc({ tool: name, result: ERRORS[known.code].status >= 500 ? 'failed' : 'refused' });
      return { content: [{ type: 'text', text: errorText(known, roomOf(args['max_chars'])) }], isError: true };
    }
  }

  private answer(
    tool: Tool,
    args: Readonly<Record<string, unknown>>,
    context: Omit<ToolContext, 'maxChars'>,
  ): Promise<string> {
    const parsed = tool.schema.safeParse(args);
    if (!parsed.success) throw asArguments(invalidRequest(schemaFaults(parsed.error, tool.schema), 'the arguments'));
    const { max_chars: maxChars = MAX_CHARS_DEFAULT, ...others } = parsed.data;
    return tool.answer(others, { ...context, maxChars: maxChars as number });
  }

  private known(error: unknown, tool: string): DomainError {
    if (error instanceof DomainError) return error;
    this.logger.error({ err: error, tool }, 'an MCP tool failed');
    return new DomainError('internal', 'something went wrong on the server');
  }
}

const mayUse = ({ operations }: Tool, api: CallerApi): boolean => operations.every((operation) => api.may(operation));

const listed = ({ name, title, description, inputSchema, writes, idempotent, openWorld }: Tool) => ({
  name,
  title,
  description,
  inputSchema: { type: 'object' as const, ...inputSchema },
  annotations: {
    readOnlyHint: !writes,
    destructiveHint: false,
    idempotentHint: !writes || idempotent === true,
    openWorldHint: openWorld === true,
  },
});

/** Faults name members of an object; to an agent they are arguments of the tool. */
function asArguments({ message: detail, errors }: Invalid): Invalid {
  const worded = (text: string): string =>
    text.replaceAll('is not a member of this object', 'is not an argument of this tool');
  const faults = errors?.map(({ path, message }) => ({ path, message: worded(message) }));
  return new Invalid('validation_failed', worded(detail), faults);
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

type Arguments = Readonly<Record<string, unknown>>;

interface GivenArguments {
  args: Arguments;
  /** Names of those that were given as an empty text, and count as left out. */
  empty: string[];
}

const NUMBER = /^-?(0|[1-9]\d{0,20})(\.\d{1,20})?$/;

/**
 * Arguments as agents mean them: some send every value as a text, and fill in all filters that a tool has, those that they have
 * no use for with `null` or an empty text.
 * @param inputSchema the arguments of the tool.
 * @param isFilter whether an empty text says nothing; of tools that write it may be a value.
 */
export function readArguments(given: Arguments, inputSchema: JsonSchema, isFilter: boolean): GivenArguments {
  const { properties = {}, required = [] } = inputSchema as {
    properties?: Record<string, JsonSchema>;
    required?: string[];
  };
  const args: Record<string, unknown> = {};
  const empty: string[] = [];
  for (const [name, value] of Object.entries(given)) {
    if (value === null) continue;
    const types = typesOf(Object.hasOwn(properties, name) ? properties[name]! : {});
    const isOptional = types.length > 0 && !required.includes(name);
    if (value === '' && isOptional && (isFilter || !types.includes('string'))) empty.push(name);
    else args[name] = typeof value === 'string' ? readText(value, types) : value;
  }
  return { args, empty };
}

/** The types that a schema allows; none where it allows all. */
function typesOf({ type, anyOf }: JsonSchema): string[] {
  if (typeof type === 'string') return [type];
  return Array.isArray(anyOf) ? anyOf.flatMap((form) => typesOf(form as JsonSchema)) : [];
}

/** @returns what a text stands for where a text is not allowed: a number, a truth value, a list, an object; else itself. */
function readText(text: string, types: readonly string[]): unknown {
  if (types.includes('string')) return text;
  const trimmed = text.trim();
  if ((types.includes('number') || types.includes('integer')) && NUMBER.test(trimmed)) return Number(trimmed);
  if (types.includes('boolean') && /^(true|false)$/i.test(trimmed)) return trimmed.toLowerCase() === 'true';
  const isList = types.includes('array') && trimmed.startsWith('[');
  return isList || (types.includes('object') && trimmed.startsWith('{')) ? parsed(trimmed, text) : text;
}

function parsed(json: string, otherwise: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return otherwise;
  }
}
