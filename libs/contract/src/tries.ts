import { z } from 'zod';
import { ERRORS, type ErrorCode } from './error-codes.js';
import { chatMessageSchema } from './datasets.js';
import { amountSchema, costSchema, countSchema, settingNumber } from './values/numbers.js';
import { clientIdSchema, jsonMapSchema, jsonValueSchema, keySchema } from './values/text.js';

const MESSAGES_MAX = 10_000;
const TOOLS_MAX = 1_000;
const RUNS_MAX = 10;

const promptTextSchema = z.string().max(1_000_000);

/** What becomes of the system messages of a recorded call. */
export const systemPromptSchema = z
  .union([
    z.strictObject({ replace: promptTextSchema }),
    z.strictObject({ prepend: promptTextSchema }),
    z.strictObject({ append: promptTextSchema }),
  ])
  .meta({ id: 'SystemPromptChange' });
export type SystemPromptChange = z.output<typeof systemPromptSchema>;

const tryChangesSchema = z.object({
  system_prompt: systemPromptSchema.nullish(),
  messages: z
    .array(z.object({ index: countSchema.describe('From 0.'), content: jsonValueSchema }))
    .max(MESSAGES_MAX)
    .nullish()
    .describe('Other contents of single messages.'),
});
export type TryChanges = z.output<typeof tryChangesSchema>;

/** What is tried (docs/spec/replay.md#trying-a-call). */
export const tryCallSchema = z
  .object({
    span_id: keySchema.nullish().describe('The recorded call that it is like; what is left out is of this one.'),
    messages: z.array(chatMessageSchema).min(1).max(MESSAGES_MAX).nullish(),
    changes: tryChangesSchema.nullish().describe('Made to the messages.'),
    connection_id: z.string(),
    model: keySchema.min(1).nullish().describe("The connection's `default_model` when left out."),
    parameters: jsonMapSchema
      .nullish()
      .describe('`temperature`, `max_tokens` and others, in the names of the provider.'),
    tools: z.array(jsonValueSchema).max(TOOLS_MAX).nullish().describe('Definitions as any API has them.'),
    n: settingNumber(z.number().int().min(1).max(RUNS_MAX).nullish()).describe(
      'How often it is called, one after another; 1 when left out.',
    ),
    trace_id: clientIdSchema.nullish().describe('The trace that records it; an earlier try, or a new one.'),
  })
  .refine(({ span_id: span, messages }) => span || messages, {
    path: ['messages'],
    error: 'must be given where there is no span_id',
  })
  .meta({ id: 'TryCall' });
export type TryCall = z.output<typeof tryCallSchema>;

const tryRunSchema = z
  .object({
    run: countSchema.describe('From 0.'),
    span_id: z.string(),
    model: z.string().describe('The model that answered, where the answer says.'),
    output: z
      .looseObject({ text: z.string().nullable(), finish_reason: z.string().nullable() })
      .describe('The answer in the form that spans have, with `tool_calls` and `reasoning` where there are any.'),
    input_tokens: countSchema.nullable(),
    output_tokens: countSchema.nullable(),
    cost: costSchema.describe('Dollars; `null` where nothing says.'),
    latency_ms: amountSchema,
    time_to_first_token_ms: amountSchema.nullable(),
  })
  .meta({ id: 'TryRun' });
export type TryRun = z.output<typeof tryRunSchema>;

const ofRun = { run: countSchema, trace_id: z.string(), span_id: z.string() };

/** What the stream of a try is made of: the JSON of a `data:` line. */
export const tryEventSchema = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('begun'), ...ofRun }),
    z.object({
      type: z.literal('delta'),
      run: countSchema,
      text: z.string().exactOptional(),
      reasoning: z.string().exactOptional(),
      tool_call: z.string().exactOptional().describe('The name of a tool whose call begins.'),
    }),
    tryRunSchema.extend({ type: z.literal('run') }),
    z.object({ type: z.literal('done'), trace_id: z.string(), runs: z.array(tryRunSchema) }),
    z.object({
      type: z.literal('error'),
      ...ofRun,
      code: z.enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]]),
      detail: z.string(),
    }),
  ])
  .meta({ id: 'TryEvent' });
export type TryEvent = z.output<typeof tryEventSchema>;
