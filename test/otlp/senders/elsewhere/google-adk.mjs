/**
 * Google's Agent Development Kit: an agent that calls a tool, and one whose model fails, with Gemini's answers from here.
 * Wants `npm install @google/adk` in the folder it is run from.
 */
import { createServer } from 'node:http';
import { FunctionTool, Gemini, InMemoryRunner, LlmAgent, maybeSetOtelProviders } from '@google/adk';
import { trace } from '@opentelemetry/api';
import { z } from 'zod';

maybeSetOtelProviders();

const USAGE = {
  promptTokenCount: 11,
  candidatesTokenCount: 4,
  cachedContentTokenCount: 4,
  thoughtsTokenCount: 3,
  totalTokenCount: 18,
};
const candidate = (part) => ({
  candidates: [{ index: 0, finishReason: 'STOP', content: { role: 'model', parts: [part] } }],
  usageMetadata: USAGE,
  modelVersion: 'gemini-2.5-flash-001',
  responseId: 'fake0001',
});

/** Calls the tool first, says the tide once it has the tool's answer; refuses a question about storms. */
function answer(body) {
  if (body.includes('storm')) return [400, { error: { code: 400, status: 'INVALID_ARGUMENT', message: 'no storms' } }];
  if (body.includes('functionResponse')) return [200, candidate({ text: 'High tide is at 11:20.' })];
  return [200, candidate({ functionCall: { id: 'call_fake0001', name: 'get_tide', args: { harbour: '長崎' } } })];
}
const gemini = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const [status, said] = answer(Buffer.concat(chunks).toString());
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(said));
  });
});
await new Promise((done) => gemini.listen(0, '127.0.0.1', done));
process.env.GOOGLE_GEMINI_BASE_URL = `http://127.0.0.1:${gemini.address().port}`;

const agent = new LlmAgent({
  name: 'pilot',
  description: 'Knows the tides',
  instruction: 'Answer in one sentence.',
  model: new Gemini({ model: 'gemini-2.5-flash', apiKey: 'any' }),
  generateContentConfig: { temperature: 0.5 },
  tools: [
    new FunctionTool({
      name: 'get_tide',
      description: 'The tide at a harbour',
      parameters: z.object({ harbour: z.string() }),
      execute: ({ harbour }) => ({ harbour, high: '11:20' }),
    }),
  ],
});
const runner = new InMemoryRunner({ agent, appName: 'tides' });
const sessionId = 'session-google-adk';
await runner.sessionService.createSession({ appName: 'tides', userId: 'ada', sessionId });
for (const text of ['When is high tide?', 'Will there be a storm?']) {
  const newMessage = { role: 'user', parts: [{ text }] };
  try {
    for await (const _event of runner.runAsync({ userId: 'ada', sessionId, newMessage }));
  } catch {
    // The span of the call reports it.
  }
}
await trace.getTracerProvider().getDelegate().forceFlush();
gemini.close();
gemini.closeAllConnections();
