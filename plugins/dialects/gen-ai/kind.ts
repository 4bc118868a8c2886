import { hasAny, textAt, type OtelMap, type ReadKind } from '@spandrel/plugin-api';

/** What a span is by `gen_ai.operation.name`; by what it reports where there is none. */
export function kindOf(attributes: OtelMap): ReadKind | undefined {
  const operation = textAt(attributes, OPERATION);
  const type = operation === undefined ? typeWithoutOperation(attributes) : TYPES.get(operation);
  switch (type) {
    case 'tool_call':
      return {
        type,
        name: textAt(attributes, TOOL_NAME),
        callId: textAt(attributes, CALL_ID),
        toolType: textAt(attributes, TOOL_TYPE),
      };
    case 'llm_call':
    case 'embedding':
    case 'retrieval':
      return { type };
  }
  if (operation === undefined) return undefined;
  const kind = CUSTOM_KINDS.get(operation) ?? operation;
  return { type: 'custom', kind, name: textAt(attributes, kind === 'workflow' ? WORKFLOW_NAME : AGENT_NAME) };
}

type KnownType = 'llm_call' | 'embedding' | 'tool_call' | 'retrieval';

/** Names of the conventions in all their generations, and those that Semantic Kernel, LiteLLM and Sentry have. */
const TYPES: ReadonlyMap<string, KnownType> = new Map([
  ['chat', 'llm_call'],
  ['generate_content', 'llm_call'],
  ['text_completion', 'llm_call'],
  ['atext_completion', 'llm_call'],
  ['completion', 'llm_call'],
  ['acompletion', 'llm_call'],
  ['generate', 'llm_call'],
  ['chat.completions', 'llm_call'],
  ['chat.streaming_completions', 'llm_call'],
  ['text.completions', 'llm_call'],
  ['text.streaming_completions', 'llm_call'],
  ['responses', 'llm_call'],
  ['aresponses', 'llm_call'],
  ['messages', 'llm_call'],
  ['anthropic_messages', 'llm_call'],
  ['generate_text', 'llm_call'],
  ['stream_text', 'llm_call'],
  ['generate_object', 'llm_call'],
  ['stream_object', 'llm_call'],
  ['embeddings', 'embedding'],
  ['embedding', 'embedding'],
  ['aembedding', 'embedding'],
  ['embed', 'embedding'],
  ['embed_many', 'embedding'],
  ['execute_tool', 'tool_call'],
  ['retrieval', 'retrieval'],
  ['rerank', 'retrieval'],
  ['arerank', 'retrieval'],
]);

const CUSTOM_KINDS: ReadonlyMap<string, string> = new Map([
  ['invoke_agent', 'agent'],
  ['create_agent', 'agent'],
  ['invoke_workflow', 'workflow'],
  ['agent_step', 'step'],
]);

function typeWithoutOperation(attributes: OtelMap): KnownType | undefined {
  if (attributes.has('gen_ai.tool.name')) return 'tool_call';
  if (!attributes.has('gen_ai.request.model')) return undefined;
  return hasAny(attributes, ANSWERED) ? 'llm_call' : undefined;
}

const ANSWERED = [
  'gen_ai.response.model',
  'gen_ai.usage.input_tokens',
  'gen_ai.usage.prompt_tokens',
  'gen_ai.usage.output_tokens',
  'gen_ai.usage.completion_tokens',
  'gen_ai.response.prompt_tokens',
  'gen_ai.response.completion_tokens',
];
const OPERATION = ['gen_ai.operation.name'];
const TOOL_NAME = ['gen_ai.tool.name'];
const CALL_ID = ['gen_ai.tool.call.id'];
const TOOL_TYPE = ['gen_ai.tool.type'];
const AGENT_NAME = ['gen_ai.agent.name'];
const WORKFLOW_NAME = ['gen_ai.workflow.name', 'gen_ai.agent.name'];
