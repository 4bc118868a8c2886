import type { DeclaredProvider } from '@spandrel/plugin-api';

export default {
  extensionPoint: 'provider',
  name: 'acme',
  apiVersion: 1,
  baseUrl: 'https://llm.acme.example',
  headers: (apiKey) => ({ 'x-acme-key': apiKey }),
  prices: { 'acme-1': { input: 0.4, output: 1.6 } },
  endpoints: {
    '/acme/ask': {
      readRequest: (body) => ({ model: body.engine, input: body.question }),
      readAnswer: (body) => ({
        text: body.reply,
        usage: { inputTokens: body.used?.in, outputTokens: body.used?.out },
      }),
      writeRequest: ({ model, prompt }) => ({ engine: model, question: prompt }),
    },
  },
  models: { path: '/acme/engines', read: (body) => body.engines },
  errorMessage: (body) => body.problem,
} satisfies DeclaredProvider;
