import type { Sender } from './run-sender.ts';

/**
 * Senders whose packages are too large, or of too old a version, to be this project's: their programs are in
 * `senders/elsewhere`, and say what is to be installed in the folder that they are run from.
 */
export const SENDERS_ELSEWHERE: readonly Sender[] = [
  {
    name: 'mastra',
    program: ['elsewhere/mastra.mjs'],
    packages: ['@mastra/core', '@mastra/observability', '@mastra/otel-exporter', '@ai-sdk/openai'],
    dialect: 'mastra',
  },
  {
    name: 'claude-code',
    program: ['elsewhere/claude-code.mjs'],
    packages: ['@anthropic-ai/claude-code'],
    dialect: 'claude-code',
  },
  {
    name: 'traceloop-sdk-0.22',
    program: ['elsewhere/traceloop.mjs'],
    packages: ['@traceloop/node-server-sdk', '@traceloop/instrumentation-openai', 'openai'],
    dialect: 'traceloop',
  },
  {
    name: 'logfire',
    program: ['elsewhere/logfire.mjs'],
    packages: ['@pydantic/logfire-node', 'logfire', 'openai'],
    dialect: 'logfire',
  },
  {
    name: 'genkit',
    program: ['elsewhere/genkit.mjs'],
    packages: ['genkit', '@genkit-ai/compat-oai'],
    dialect: 'genkit',
  },
  { name: 'google-adk', program: ['elsewhere/google-adk.mjs'], packages: ['@google/adk'], dialect: 'google-adk' },
];
