import type { JsonObject } from './lenient-values.js';

/** The role of a message of LangChain by its type, such as `human`, `HumanMessage` or `["langchain", …, "HumanMessage"]`. */
export const langChainRole = ({ type, id }: JsonObject): string | undefined =>
  LANGCHAIN_ROLES.get(Array.isArray(id) ? id.at(-1) : type);

/** A `type` of `function` is none of these: tools and their calls have it. */
const LANGCHAIN_ROLES: ReadonlyMap<unknown, string> = new Map([
  ...['human', 'HumanMessage', 'HumanMessageChunk'].map((type) => [type, 'user'] as const),
  ...['ai', 'AIMessage', 'AIMessageChunk'].map((type) => [type, 'assistant'] as const),
  ...['system', 'SystemMessage', 'SystemMessageChunk'].map((type) => [type, 'system'] as const),
  ...['tool', 'ToolMessage', 'ToolMessageChunk'].map((type) => [type, 'tool'] as const),
  ...['FunctionMessage', 'FunctionMessageChunk'].map((type) => [type, 'tool'] as const),
]);
