import type { DatapointKind, EvalConfigResource, FieldError, SystemPromptChange } from '@spandrel/contract';
import { plainTextOf, type ChatMessage } from '@spandrel/plugin-api';
import { Injectable } from '@nestjs/common';
import { DatasetSnapshots, DatasetStore } from '@spandrel/datasets';
import { invalidRequest, type Scope } from '@spandrel/kernel';
import { readInputAndExpected } from '../eval-item.js';

/** A value of the datapoint, by its name between double braces. */
export interface Variable {
  /** `input.question` */
  name: string;
  root: 'input' | 'metadata' | 'messages';
  /** `question`; `undefined`: all of it. */
  path: string | undefined;
}

/** Texts and variables, in their order. */
type Part = string | Variable;

interface PromptMessage {
  role: string;
  parts: readonly Part[];
  /** What becomes of the system messages of the datapoint's own. */
  system?: SystemPromptChange;
}

/** The messages that a run sends for each datapoint (docs/spec/evaluations.md#prompts). */
export type Prompt = readonly PromptMessage[];

const VARIABLES_MAX = 100;
const NAME_LENGTH_MAX = 500;
/** UTF-16 units of the messages of one call, those of the datapoint's own not counted. */
const LENGTH_MAX = 20_000_000;

const MESSAGES: Variable = { name: 'messages', root: 'messages', path: undefined };
const KNOWN = '{{input}}, {{input.MEMBER}}, {{metadata.MEMBER}} and {{messages}}';
const ESCAPE = 'two braces that are meant as such are written \\{{';

/** What is wrong with a prompt, or with the datapoint that it is filled with. */
export class PromptError extends Error {
  override readonly name = 'PromptError';
}

/** The prompt of a run: its messages, or else its system prompt before the datapoint's own. @throws PromptError */
export function createPrompt({
  messages,
  system_prompt: text,
  system_prompt_mode: mode = 'before',
}: Pick<EvalConfigResource, 'messages' | 'system_prompt' | 'system_prompt_mode'>): Prompt {
  if (messages) return messages.map(({ role, content }): PromptMessage => ({ role, parts: readTemplate(content) }));
  if (text !== null && mode !== 'before')
    return [{ role: 'user', parts: [MESSAGES], system: { [mode]: text } as SystemPromptChange }];
  const system: PromptMessage[] = text === null ? [] : [{ role: 'system', parts: [text] }];
  return [...system, { role: 'user', parts: [MESSAGES] }];
}

/** What is wrong with messages as a caller gives them. @param at their path in the request. */
export function findPromptFaults(messages: NonNullable<EvalConfigResource['messages']>, at: string): FieldError[] {
  const faults: FieldError[] = [];
  let count = 0;
  let hasMessages = false;
  for (const [index, { content }] of messages.entries()) {
    const path = `${at}[${index}].content`;
    try {
      const named = readTemplate(content).filter((part) => typeof part !== 'string');
      const isConversation = named.includes(MESSAGES);
      if (isConversation && hasMessages) faults.push({ path, message: 'names {{messages}} once more' });
      hasMessages ||= isConversation;
      count += named.length;
    } catch (error) {
      faults.push({ path, message: (error as Error).message });
    }
  }
  if (count > VARIABLES_MAX) faults.push({ path: at, message: `has more than ${VARIABLES_MAX} variables` });
  return faults;
}

/** Finds the variables of a text, in one go from its beginning to its end. @throws PromptError that says what is wrong. */
function readTemplate(content: string): Part[] {
  const parts: Part[] = [];
  let text = '';
  for (let at = 0; ;) {
    const open = content.indexOf('{{', at);
    if (open === -1) {
      parts.push(text + content.slice(at));
      break;
    }
    if (content[open - 1] === '\\') {
      text += `${content.slice(at, open - 1)}{{`;
      at = open + 2;
      continue;
    }
    const close = content.indexOf('}}', open);
    if (close === -1) throw new PromptError(`has {{ without }}; ${ESCAPE}`);
    parts.push(text + content.slice(at, open), readVariable(content.slice(open + 2, close).trim()));
    text = '';
    at = close + 2;
  }
  const filled = parts.filter((part) => typeof part !== 'string' || part !== '');
  if (!filled.includes(MESSAGES)) return filled;
  const others = filled.filter((part) => typeof part !== 'string' || part.trim() !== '');
  if (others.length > 1) throw new PromptError('must have {{messages}} alone where it has that');
  return [MESSAGES];
}

function readVariable(name: string): Variable {
  if (name === MESSAGES.name) return MESSAGES;
  const [, root, path] = (name.length <= NAME_LENGTH_MAX && /^(input|metadata)(?:\.(.+))?$/s.exec(name)) || [];
  if (root === undefined || (root === 'metadata' && path === undefined)) {
    const shown = JSON.stringify(name.slice(0, NAME_LENGTH_MAX));
    throw new PromptError(`names the unknown variable ${shown}; there are ${KNOWN}, and ${ESCAPE}`);
  }
  return { name, root: root as Variable['root'], path };
}

/** The variables of a prompt that a datapoint may lack, each with the index of its message. */
export const listMembers = (prompt: Prompt): { variable: Variable; index: number }[] =>
  prompt.flatMap(({ parts }, index) =>
    parts.flatMap((part) => (typeof part === 'string' || part.path === undefined ? [] : [{ variable: part, index }])),
  );

/** Whether a datapoint has a value for a variable; `null` is none. */
export const hasValue = (kind: DatapointKind, variable: Variable): boolean =>
  (valueOf(kind, variable) ?? null) !== null;

/** The messages that are sent for a datapoint. @throws PromptError for a value that it lacks, and for more than can be sent. */
export function fillPrompt(prompt: Prompt, kind: DatapointKind): ChatMessage[] {
  let left = LENGTH_MAX;
  return prompt.flatMap(({ role, parts, system }): ChatMessage[] => {
    if (parts.includes(MESSAGES)) return system ? withSystemPrompt(conversationOf(kind), system) : conversationOf(kind);
    let content = '';
    for (const part of parts) {
      const text = typeof part === 'string' ? part : textOf(kind, part);
      left -= text.length;
      if (left < 0) throw new PromptError(`the prompt has more than ${LENGTH_MAX} characters for this datapoint`);
      content += text;
    }
    return [{ role, content }];
  });
}

const conversationOf = (kind: DatapointKind): ChatMessage[] =>
  'LlmConversation' in kind
    ? kind.LlmConversation.messages.map((message) => ({ ...message, content: message.content ?? null }))
    : [{ role: 'user', content: plainTextOf(kind.Generic.input) }];

const isSystem = ({ role }: ChatMessage): boolean => role === 'system' || role === 'developer';

/** `replace` takes the place of all system messages; the others stand in one message with the first or the last of them. */
export function withSystemPrompt(messages: readonly ChatMessage[], change: SystemPromptChange): ChatMessage[] {
  if ('replace' in change) {
    return [{ role: 'system', content: change.replace }, ...messages.filter((message) => !isSystem(message))];
  }
  const isBefore = 'prepend' in change;
  const text = isBefore ? change.prepend : change.append;
  const at = isBefore ? messages.findIndex(isSystem) : messages.findLastIndex(isSystem);
  const { content } = messages[at] ?? {};
  if (at < 0 || (content ?? null) === null) return [{ role: 'system', content: text }, ...messages];
  const inOrder = <Of>(own: Of, given: Of): Of[] => (isBefore ? [given, own] : [own, given]);
  const joined = Array.isArray(content)
    ? inOrder(content, [{ type: 'text', text }]).flat()
    : inOrder(plainTextOf(content), text).join('\n\n');
  return messages.with(at, { ...messages[at]!, content: joined });
}

function textOf(kind: DatapointKind, variable: Variable): string {
  const value = valueOf(kind, variable);
  if (variable.path !== undefined && (value ?? null) === null) {
    throw new PromptError(`the datapoint has no ${variable.name}, which the prompt names`);
  }
  return plainTextOf(value);
}

function valueOf(kind: DatapointKind, { root, path }: Variable): unknown {
  const { metadata } = 'LlmConversation' in kind ? kind.LlmConversation : kind.Generic;
  const value = root === 'metadata' ? metadata : readInputAndExpected(kind).input;
  return path === undefined ? value : memberAt(value, path);
}

/** The member at a path `a.b.0`; the last key may have dots itself. `undefined` where there is none. */
function memberAt(value: unknown, path: string): unknown {
  const { propertyIsEnumerable } = Object.prototype;
  for (let rest = path; ;) {
    const members = Object(value) as Record<string, unknown>;
    if (typeof value !== 'object' || JSON.isRawJSON(value)) return undefined;
    if (propertyIsEnumerable.call(members, rest)) return members[rest];
    const dot = rest.indexOf('.');
    const key = rest.slice(0, Math.max(dot, 0));
    if (dot === -1 || !propertyIsEnumerable.call(members, key)) return undefined;
    value = members[key];
    rest = rest.slice(dot + 1);
  }
}

const PAGE = 200;

export interface GivenPrompt {
  messages: EvalConfigResource['messages'] | null | undefined;
  /** Where they stand in the request: `config.messages`. */
  at: string;
}

/** Looks whether prompts can be sent for all datapoints of a run, before any call is made. */
@Injectable()
export class CheckPrompts {
  constructor(
    private readonly datasets: DatasetStore,
    private readonly snapshots: DatasetSnapshots,
  ) {}

  /**
   * @param ids of the datapoints that the run takes; `null` or left out: all.
   * @returns a fault for each variable that some of the datapoints have no value for, with their number.
   * @throws Invalid for messages that are none, such as unknown variables.
   */
  async execute(
    scope: Scope,
    datasetId: string,
    prompts: readonly GivenPrompt[],
    ids?: readonly string[] | null,
  ): Promise<FieldError[]> {
    const given = prompts.flatMap(({ messages, at }) => (messages ? { messages, at } : []));
    const faults = given.flatMap(({ messages, at }) => findPromptFaults(messages, at));
    if (faults.length > 0) throw invalidRequest(faults);
    const members = given.flatMap(({ messages, at }) =>
      listMembers(createPrompt({ messages, system_prompt: null })).map(({ variable, index }) => ({
        ...{ variable, path: `${at}[${index}].content`, lacking: 0 },
      })),
    );
    const dataset = members.length === 0 ? null : await this.datasets.find(scope, datasetId);
    if (!dataset) return [];
    const snapshot = { datasetId, version: dataset.version };
    const taken = ids && new Set(ids);
    let total = 0;
    for (let after = ''; ;) {
      const page = await this.snapshots.after(scope, snapshot, after, PAGE);
      for (const { kind } of page.filter(({ id }) => taken?.has(id) ?? true)) {
        total++;
        for (const member of members) if (!hasValue(kind, member.variable)) member.lacking++;
      }
      if (page.length === 0) break;
      after = page.at(-1)!.id;
    }
    return members
      .filter(({ lacking }) => lacking > 0)
      .map(({ variable, path, lacking }) => ({
        path,
        message: `names {{${variable.name}}}, which ${lacking} of the ${total} datapoints ${lacking === 1 ? 'does' : 'do'} not have`,
      }));
  }
}
