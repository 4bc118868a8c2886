import assert from 'node:assert/strict';
import { USAGE_COUNTS } from '../chat.js';
import type { Endpoint, Provider, RecordedAnswer } from '../provider.js';
import { framesOf, type ProviderContract } from './fixtures.js';
import { mutationsOf, ODD_VALUES } from './odd-values.js';
import type { TestFunctions } from './set-up-plugin.js';
import { readJson } from '../wire/lenient-json.js';

/** Nothing a client or a provider sends makes the plugin throw, or answer with something of another shape. */
export function describeRobustness<Config>(
  { calls, errors, chat }: ProviderContract<Config>,
  provide: () => Promise<Provider>,
  { it }: TestFunctions,
): void {
  it('takes any path and method', async () => {
    const provider = await provide();
    for (const path of [
      '',
      '/',
      '//',
      '/v1',
      '/v1/',
      '/api/',
      '*',
      '/%ff',
      `/${'a/'.repeat(2000)}`,
      '/\u0000',
      '/🙂',
    ]) {
      for (const method of ['POST', 'GET', 'HEAD', 'OPTIONS', '']) {
        assert.match(provider.recognises({ method, path, headers: {} }), /^(certain|likely|no)$/);
        assert.equal(provider.endpoint({ method, path, headers: {} }), undefined);
      }
    }
  });
  it('reads any error body', async () => {
    const provider = await provide();
    for (const body of [...ODD_VALUES, ...errors.flatMap((error) => [...mutationsOf(error.body)])]) {
      assert.match(typeof provider.errorMessage(body), /^(string|undefined)$/);
    }
  });
  for (const call of calls) {
    it(`reads whatever stands in place of ${call.name}`, async () => {
      const { path, headers = {} } = call.request;
      const endpoint = (await provide()).endpoint({ method: 'POST', path, headers });
      assert.ok(endpoint);
      for (const body of [...ODD_VALUES, ...mutationsOf(call.request.body)]) readRequest(endpoint, body);
      if ('whole' in call.answer) {
        for (const body of [...ODD_VALUES, ...mutationsOf(call.answer.whole)]) assertAnswer(endpoint.readAnswer(body));
      } else {
        readMutatedStreams(endpoint, call.answer.streamed);
      }
    });
  }
  it('reads any answer to its chat and models requests', async () => {
    const provider = await provide();
    for (const body of [...ODD_VALUES, ...mutationsOf(chat?.answer.body)]) assertAnswer(provider.chat.readAnswer(body));
    for (const body of [...ODD_VALUES, ...mutationsOf(chat?.models?.body)]) {
      assert.ok(provider.chat.readModels(body)?.every((id) => typeof id === 'string') ?? true);
    }
  });
}

function readRequest(endpoint: Endpoint, body: unknown): void {
  const { model, streaming, parameters, input } = endpoint.readRequest(body);
  assert.ok(model === null || typeof model === 'string');
  assert.equal(typeof streaming, 'boolean');
  assert.equal(typeof parameters, 'object');
  assert.notEqual(input, undefined);
}

/** Every frame of the stream in turn replaced by odd ones, the others as they are. */
function readMutatedStreams(endpoint: Endpoint, text: string): void {
  const frames = framesOf(text, endpoint.framing);
  frames.forEach((frame, position) => {
    for (const data of [...ODD_VALUES, ...mutationsOf(readJson(frame.data), 4)].map(
      (value) => JSON.stringify(value) ?? '',
    )) {
      const reader = endpoint.readStream();
      for (const before of frames.slice(Math.max(0, position - 2), position)) reader.push(before);
      reader.push({ ...frame, data });
      for (const after of frames.slice(position + 1, position + 3)) reader.push(after);
      assertAnswer(reader.answer());
    }
  });
}

function assertAnswer(answer: RecordedAnswer): void {
  const { model, error, usage, choices = [] } = answer;
  for (const member of [model, error]) assert.ok(member === null || typeof member === 'string');
  for (const { text, finishReason, toolCalls, reasoning = null } of [answer, ...choices]) {
    for (const member of [text, finishReason, reasoning]) assert.ok(member === null || typeof member === 'string');
    for (const call of toolCalls) assert.equal(typeof call.name, 'string');
  }
  for (const name of Object.keys(USAGE_COUNTS) as (keyof typeof USAGE_COUNTS)[]) {
    const count = usage[name] ?? null;
    assert.ok(count === null || (Number.isSafeInteger(count) && count >= 0), `${count} is no count`);
  }
  assert.ok((usage.cost ?? 0) >= 0 && Number.isFinite(usage.cost ?? 0), `${usage.cost} is no cost`);
}
