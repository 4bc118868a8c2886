/** LangChain: a call, a stream, and a tool that is called and answered. */
import { HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { ChatOpenAI } from '@langchain/openai';
import { z } from 'zod';

const model = new ChatOpenAI({
  model: 'gpt-4.1-mini',
  apiKey: 'sk-any',
  maxRetries: 0,
  configuration: { baseURL: process.env.OPENAI_BASE_URL },
});
const system = new SystemMessage('Answer in one sentence.');
await model.invoke([system, new HumanMessage('fake:cached+reasoning When is high tide?')]);
for await (const _piece of await model.stream([system, new HumanMessage('fake:cached When is high tide?')]));

const tide = tool(() => '11:20', {
  name: 'get_tide',
  description: 'The tide at a harbour',
  schema: z.object({ harbour: z.string() }),
});
const question = new HumanMessage('fake:tools When is high tide?');
const caller = model.bindTools([tide]);
const answer = await caller.invoke([question]);
const [call] = answer.tool_calls;
await caller.invoke([
  question,
  answer,
  new ToolMessage({ tool_call_id: call.id, content: await tide.invoke(call.args) }),
]);

// Responses are its other way to OpenAI.
const responses = new ChatOpenAI({ ...model.lc_kwargs, useResponsesApi: true });
await responses.invoke([system, new HumanMessage('fake:cached When is high tide?')]);
