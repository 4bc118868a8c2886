import {
  defineDialect,
  idAt,
  takeAt,
  takeMembers,
  textAt,
  textsAt,
  type OtelMap,
  type OtelSpan,
  type ReadKind,
  type SpanReading,
} from '@spandrel/plugin-api';

/**
 * Mastra. Its calls of models and tools are reported as GenAI conventions have it; what is its own are agents, workflows and
 * their steps (docs/spec/otlp.md#mastra).
 */
export default defineDialect({
  name: 'mastra',
  setup: () => ({ claims: { attributes: ['mastra.*'] }, read }),
});

function read({ attributes, name }: OtelSpan): SpanReading | undefined {
  const type = textAt(attributes, 'mastra.span.type');
  if (type === undefined) return undefined;
  return {
    kind: kindOf(type, attributes, name),
    input: takeAt(attributes, `mastra.${type}.input`),
    output: takeAt(attributes, `mastra.${type}.output`),
    metadata: takeMembers(attributes, METADATA, isTheTraces),
    session: idAt(attributes, `${METADATA}sessionId`),
    user: idAt(attributes, `${METADATA}userId`),
    tags: textsAt(attributes, 'mastra.tags'),
  };
}

const METADATA = 'mastra.metadata.';
const isTheTraces = (member: string): boolean => member === 'sessionId' || member === 'userId';

/** Types of spans of which the GenAI attributes beside them report nothing: their operation is the type itself. */
function kindOf(type: string, attributes: OtelMap, name: string): ReadKind | undefined {
  const operation = textAt(attributes, 'gen_ai.operation.name');
  if (operation !== undefined && operation !== type) return undefined;
  if (type === 'tool_call' || type === 'mcp_tool_call') {
    return { type: 'tool_call', name: textAt(attributes, 'gen_ai.tool.name') ?? name };
  }
  // One with an operation is made of inferences, which are the calls.
  if (type === 'model_generation' && operation === undefined) return { type: 'llm_call' };
  return { type: 'custom', kind: CUSTOM_KINDS.get(type) ?? type, name: textAt(attributes, NAMES) };
}

const CUSTOM_KINDS: ReadonlyMap<string, string> = new Map([
  ['agent_run', 'agent'],
  ['workflow_run', 'workflow'],
  ['workflow_step', 'step'],
  ['model_step', 'step'],
]);
const NAMES = ['gen_ai.agent.name', 'gen_ai.workflow.name', 'mastra.entity.name'];
