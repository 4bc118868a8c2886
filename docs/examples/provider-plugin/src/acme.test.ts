import { describe, it } from 'node:test';
import { CONTRACT_API_KEY, describeProviderContract } from '@spandrel/plugin-api/testing';
import acme from './acme.ts';

const KEY_HEADER = { 'x-acme-key': CONTRACT_API_KEY };
const answer = { reply: 'At noon.', used: { in: 5, out: 2 } };
/** What must be read of the answer. */
const read = {
  model: null,
  text: 'At noon.',
  finishReason: null,
  toolCalls: [],
  usage: { inputTokens: 5, outputTokens: 2, cachedInputTokens: null, reasoningTokens: null },
  error: null,
};

describeProviderContract(
  {
    plugin: acme,
    configs: { accepted: [{}, { base_url: 'https://test.acme.example' }], refused: [{ base_url: 'acme' }] },
    recognised: [
      { request: { method: 'POST', path: '/acme/ask', headers: {} }, as: 'certain' },
      { request: { method: 'POST', path: '/v1/messages', headers: {} }, as: 'no' },
    ],
    unrecorded: [{ method: 'GET', path: '/acme/engines', headers: {} }],
    calls: [
      {
        name: 'ask',
        request: { path: '/acme/ask', body: { engine: 'acme-1', question: 'When?' } },
        answer: { whole: answer },
        expected: {
          endpoint: 'acme/ask',
          request: { model: 'acme-1', input: [{ role: 'user', content: 'When?' }], streaming: false, parameters: {} },
          answer: read,
        },
      },
    ],
    errors: [{ status: 404, body: { problem: 'no such engine' }, message: 'no such engine' }],
    chat: {
      baseUrl: 'https://llm.acme.example',
      call: { model: 'acme-1', messages: [{ role: 'user', content: 'When?' }] },
      request: {
        method: 'POST',
        url: 'https://llm.acme.example/acme/ask',
        headers: { 'content-type': 'application/json', ...KEY_HEADER },
        body: { engine: 'acme-1', question: 'When?' },
      },
      answer: { body: answer, expected: read },
      models: {
        request: { method: 'GET', url: 'https://llm.acme.example/acme/engines', headers: KEY_HEADER },
        body: { engines: ['acme-1'] },
        ids: ['acme-1'],
      },
    },
  },
  { describe, it },
);
