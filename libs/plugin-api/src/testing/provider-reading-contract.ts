import assert from 'node:assert/strict';
import type { Endpoint, Provider, StreamFrame } from '../provider.js';
import { deepFreeze, type TestFunctions } from './set-up-plugin.js';
import { framesOf, type RecordedCallFixture } from './fixtures.js';

/** Reading of the fixtures: requests, whole answers and streams. */
export function describeReading(
  calls: readonly RecordedCallFixture[],
  provide: () => Promise<Provider>,
  { describe, it }: TestFunctions,
): void {
  for (const call of calls) {
    const endpointOf = async (): Promise<Endpoint> => {
      const { path, headers = {} } = call.request;
      const endpoint = (await provide()).endpoint(deepFreeze({ method: 'POST', path, headers }));
      assert.ok(endpoint, `${path} is recorded`);
      return endpoint;
    };
    describe(call.name, () => {
      it('reads its request', async () => {
        const endpoint = await endpointOf();
        assert.equal(endpoint.name, call.expected.endpoint);
        assert.deepEqual(endpoint.readRequest(deepFreeze(call.request.body)), call.expected.request);
      });
      it('is recorded for POST only', async () => {
        const { path, headers = {} } = call.request;
        assert.equal((await provide()).endpoint({ method: 'GET', path, headers }), undefined);
      });
      if ('whole' in call.answer) {
        const { whole } = call.answer;
        it('reads its answer', async () => {
          assert.deepEqual((await endpointOf()).readAnswer(deepFreeze(whole)), call.expected.answer);
        });
      } else {
        describeStream(call, call.answer.streamed, endpointOf, { describe, it });
      }
    });
  }
}

function describeStream(
  call: RecordedCallFixture,
  text: string,
  endpointOf: () => Promise<Endpoint>,
  { it }: TestFunctions,
): void {
  const { answer: expected } = call.expected;

  it('reads its stream', async () => {
    const { reader, frames } = await open();
    assert.ok(frames.length > 1, 'the stream has frames');
    frames.forEach((frame) => reader.push(frame));
    assert.deepEqual(reader.answer(), expected);
  });
  it('reads its stream the same when asked in between, and its text only grows', async () => {
    const { reader, frames } = await open();
    for (const frame of frames) {
      reader.push(frame);
      const soFar = reader.answer().text ?? '';
      assert.ok(expected.text?.startsWith(soFar) ?? soFar === '', `"${soFar}" begins the text`);
    }
    assert.deepEqual(reader.answer(), expected);
  });
  it('passes over frames it does not know', async () => {
    const { reader, frames } = await open();
    for (const frame of frames) {
      UNKNOWN_FRAMES.forEach((unknown) => reader.push(unknown));
      reader.push(frame);
    }
    assert.deepEqual(reader.answer(), expected);
  });
  it('begins with the first token and ends at the end mark only', async () => {
    const { reader, frames } = await open();
    assert.equal(reader.started, false);
    for (const frame of frames) {
      assert.equal(reader.ended, false, 'not ended before the last frame');
      const had: boolean = reader.started;
      reader.push(frame);
      assert.ok(reader.started || !had, 'stays started');
      if (reader.answer().text) assert.ok(reader.started, 'text has begun');
    }
    assert.equal(reader.ended, call.breaksOff !== true);
    assert.equal(reader.started, Boolean(expected.text || expected.reasoning) || expected.toolCalls.length > 0);
  });
  it('keeps two streams apart', async () => {
    const [{ reader: one, frames }, { reader: other }] = [await open(), await open()];
    frames.forEach((frame) => one.push(frame));
    assert.equal(other.started, false);
    assert.equal(other.ended, false);
    assert.equal(other.answer().text ?? '', '');
  });

  async function open() {
    const endpoint = await endpointOf();
    return { reader: endpoint.readStream(), frames: framesOf(text, endpoint.framing) };
  }
}

const UNKNOWN_FRAMES: readonly StreamFrame[] = [
  { data: '' },
  { data: 'not json' },
  { data: '{"half":' },
  { data: 'null' },
  { data: '{}' },
  { event: 'from.the.future', data: '{"type":"from.the.future","value":{"a":[1]}}' },
];
