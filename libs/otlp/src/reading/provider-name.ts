import { storableKey } from './storable-text.js';

/** Other spellings of the names that the GenAI conventions have. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['az.ai.openai', 'azure.ai.openai'],
  ['azure', 'azure.ai.openai'],
  ['azure-openai', 'azure.ai.openai'],
  ['azure_openai', 'azure.ai.openai'],
  ['az.ai.inference', 'azure.ai.inference'],
  ['gemini', 'gcp.gemini'],
  ['vertex_ai', 'gcp.vertex_ai'],
  ['vertexai', 'gcp.vertex_ai'],
  ['xai', 'x_ai'],
  ['mistralai', 'mistral_ai'],
  ['mistral', 'mistral_ai'],
  ['aws', 'aws.bedrock'],
  ['bedrock', 'aws.bedrock'],
  ['amazon-bedrock', 'aws.bedrock'],
]);

/** Parts before the first dot that belong to a name: `aws.bedrock`. What follows any other is the API (`openai.chat`). */
const FAMILIES: ReadonlySet<string> = new Set(['aws', 'azure', 'az', 'gcp', 'ibm']);

const KNOWN_MAX = 1_024;
const known = new Map<string, string>();

/**
 * A provider by the name that the GenAI conventions have for it, in lower case, so that one filter finds what the gateway
 * recorded and what came by OTLP (docs/spec/otlp.md#providers).
 */
export function providerName(told: string): string {
  const found = known.get(told);
  if (found !== undefined) return found;
  const name = nameOf(storableKey(told).toLowerCase());
  if (known.size < KNOWN_MAX) known.set(told, name);
  return name;
}

function nameOf(told: string): string {
  const renamed = NAMES.get(told);
  if (renamed !== undefined) return renamed;
  const dot = told.indexOf('.');
  if (dot <= 0 || FAMILIES.has(told.slice(0, dot))) return told;
  const family = told.slice(0, dot);
  return NAMES.get(family) ?? family;
}
