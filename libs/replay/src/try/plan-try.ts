import { Inject, Injectable } from '@nestjs/common';
import { Connections, ConnectionStore, ConnectionUnusable, type OpenConnection } from '@spandrel/connections';
import {
  parametersFor,
  recordedCall,
  TRY_TAG,
  type RecordedCall,
  type TryCall,
  type TryChanges,
} from '@spandrel/contract';
import { Conflict, DomainError, invalidRequest, letOthersRun, newId, type Scope } from '@spandrel/kernel';
import { withSystemPrompt } from '@spandrel/evals';
import type { ChatCall, ChatMessage } from '@spandrel/plugin-api';
import { fromLongJsonText } from '@spandrel/storage';
import { estimateCost, PRICING, spanNotFound, SpanStore, TraceLookups, type PricingTable } from '@spandrel/tracing';
import { TrySettings } from './try.settings.js';

export interface PlannedTry {
  connection: OpenConnection;
  call: ChatCall;
  runs: number;
  traceId: string;
  /** The recorded call that it is like. */
  spanId: string | null;
}

/** Makes what a request says into calls that can be made (docs/spec/replay.md#what-is-sent). */
@Injectable()
export class PlanTry {
  constructor(
    private readonly spans: SpanStore,
    private readonly traces: TraceLookups,
    private readonly store: ConnectionStore,
    private readonly connections: Connections,
    @Inject(PRICING) private readonly pricing: PricingTable,
    private readonly settings: TrySettings,
  ) {}

  /**
   * @throws NotFound for the span and the connection; Invalid; Conflict where the trace is none of tries; DomainError
   *   `cost_too_high`.
   */
  async execute(scope: Scope, body: TryCall): Promise<PlannedTry> {
    const row = await this.store.get(scope, body.connection_id);
    const recorded = body.span_id ? await this.readRecorded(scope, body.span_id, !body.messages) : null;
    const given = (body.messages ?? recorded?.messages ?? []) as ChatMessage[];
    const messages = changedMessages(given, body.changes ?? {});
    const ownModel = recorded?.provider === row.provider ? recorded.model : null;
    const model = body.model ?? row.defaultModel ?? ownModel;
    if (!model) throw invalidRequest([{ path: 'model', message: 'is required: the connection has no default_model' }]);
    const parameters = body.parameters ?? (recorded ? parametersFor(recorded, row.provider) : {});
    const call = { messages, ...chatCall(model, parameters, body.tools ?? recorded?.tools ?? []) };
    this.assertCheap(call);
    const { trace_id: traceId } = body;
    if (traceId) await this.assertTry(scope, traceId);
    try {
      const connection = this.connections.openRow(row);
      return { connection, call, runs: body.n ?? 1, traceId: traceId ?? newId(), spanId: body.span_id ?? null };
    } catch (error) {
      if (error instanceof ConnectionUnusable) throw new DomainError('bad_gateway', error.message);
      throw error;
    }
  }

  private async readRecorded(scope: Scope, spanId: string, isNeeded: boolean): Promise<RecordedCall | null> {
    const span = await this.spans.find(scope, spanId);
    if (!span) throw spanNotFound();
    const kind = await fromLongJsonText(span.kind);
    const [input, metadata] = [await fromLongJsonText(span.input), await fromLongJsonText(span.metadata)];
    await letOthersRun();
    const recorded = recordedCall({ input, kind, metadata });
    if (!isNeeded) return recorded;
    if (!recorded) throw invalidRequest([{ path: 'span_id', message: 'has no messages: give messages' }]);
    if (recorded.isCut) {
      throw invalidRequest([{ path: 'span_id', message: 'was cut when it was recorded: give messages' }]);
    }
    return recorded;
  }

  private async assertTry({ projectId }: Scope, traceId: string): Promise<void> {
    const facts = (await this.traces.findFacts(projectId, [traceId])).get(traceId);
    if (facts && !facts.tags.includes(TRY_TAG)) {
      throw new Conflict('id_conflict', 'trace_id is of a trace that no try made; leave it out, or give another one');
    }
  }

  private assertCheap({ model, messages, tools, maxTokens: own, parameters = {} }: ChatCall): void {
    const { maxCost } = this.settings;
    const { max_completion_tokens: whole, max_output_tokens: output, n } = parameters;
    const limits = [own, whole, output].filter((limit) => typeof limit === 'number');
    const answers = typeof n === 'number' ? Math.max(1, n) : 1;
    const maxTokens = (limits.length === 0 ? ANSWER_TOKENS : Math.max(...limits)) * answers;
    const inputTokens = countTokens([messages, tools]);
    const cost = estimateCost(this.pricing, model, { inputTokens, outputTokens: maxTokens });
    if (maxCost === null || cost === null || cost <= maxCost) return;
    const detail = `the call may cost $${cost.toPrecision(2)} (${inputTokens} tokens and an answer of ${maxTokens}), and try.max_cost_usd is ${maxCost}`;
    throw new DomainError(
      'cost_too_high',
      `${detail}: lower parameters.max_tokens, shorten the messages, or choose a cheaper model`,
    );
  }
}

/** Tokens of an answer without a limit, and of an image, as estimated. */
const ANSWER_TOKENS = 4_096;
const IMAGE_TOKENS = 1_500;
const CHARACTERS_OF_TOKEN = 4;
/** Base64 of an image, or of other bytes. An expression that repeats what it allows fails on a text of 8 MB. */
const isBytes = (text: string): boolean =>
  text.length >= 1_024 && !/[^A-Za-z0-9+/=_-]/.test(text.replace(/^data:[^,]{1,200},/, ''));

/** How many tokens a value has, about. */
function countTokens(value: unknown): number {
  let images = 0;
  const text = JSON.stringify(value, (_name, member: unknown) => {
    if (typeof member !== 'string' || !isBytes(member)) return member;
    images++;
    return '';
  });
  return Math.ceil(text.length / CHARACTERS_OF_TOKEN) + images * IMAGE_TOKENS;
}

function chatCall(model: string, parameters: Record<string, unknown>, tools: readonly unknown[]) {
  const { temperature, max_tokens: maxTokens, ...others } = parameters;
  const faults = Object.entries({ temperature, max_tokens: maxTokens }).filter(
    ([, value]) => value !== undefined && value !== null && typeof value !== 'number',
  );
  if (faults.length > 0) {
    throw invalidRequest(faults.map(([name]) => ({ path: `parameters.${name}`, message: 'must be a number' })));
  }
  return {
    model,
    tools,
    parameters: others,
    ...(typeof temperature === 'number' && { temperature }),
    ...(typeof maxTokens === 'number' && { maxTokens }),
  };
}

/** The messages with their changes. @throws Invalid for the index of none. */
function changedMessages(given: readonly ChatMessage[], changes: TryChanges): ChatMessage[] {
  const messages = [...given];
  for (const [at, { index, content }] of (changes.messages ?? []).entries()) {
    if (!messages[index]) {
      throw invalidRequest([
        { path: `changes.messages[${at}].index`, message: `is of none of ${given.length} messages` },
      ]);
    }
    messages[index] = { ...messages[index], content };
  }
  return changes.system_prompt ? withSystemPrompt(messages, changes.system_prompt) : messages;
}
