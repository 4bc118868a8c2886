import { collecting, hasMethod, setOwnMember, type AnyFunction, type Ending } from './watch.js';

/** What helpers of the clients of OpenAI and Anthropic have in common that read a stream by themselves and give events. */
interface Runner {
  _emit: AnyFunction;
  ended: boolean;
}

/** Whether a value is such a helper: `chat.completions.stream()`, `responses.stream()`, `messages.stream()`, `runTools()`. */
export const isRunner = (value: object): value is Runner =>
  ['on', 'off', 'done', 'abort', '_emit'].every((name) => hasMethod(value, name)) &&
  typeof (value as Partial<Runner>).ended === 'boolean';

/**
 * Says how a runner ends, whichever way its result is read, or when nobody reads it. Nothing listens to it that did not before,
 * since an error that nobody listens to is one that nobody handles.
 */
export function watchRunner(runner: Runner, ending: Ending): void {
  if (runner.ended) return void ending.ended(messageOf(runner));
  const { _emit: emit } = runner;
  const events = collecting(ending)();
  let final: unknown;
  const isSet = setOwnMember(runner, '_emit', function (this: unknown, ...args: unknown[]) {
    const [event, value] = args;
    // The first of them is the whole answer, those that follow are parts of it.
    if (typeof event === 'string' && event.startsWith('final')) final ??= value;
    else if (event === 'event') {
      events.item?.(value);
      final = responseOf(value) ?? final;
    } else if (event === 'error' || event === 'abort') {
      const message = messageOf(runner);
      if (message === undefined) events.failed?.(value);
      else ending.failed(value, message);
    } else if (event === 'end') {
      const failure = failureOf(final);
      if (failure !== undefined) ending.failed(failure, final);
      else if (final === undefined) endWithMessage();
      else ending.ended(final);
    }
    return Reflect.apply(emit, this, args);
  });
  if (!isSet) return void ending.ended(undefined);
  function endWithMessage(): void {
    const message = messageOf(runner);
    if (message === undefined) events.ended?.(undefined);
    else ending.ended(message);
  }
  watchStop(runner, endWithMessage);
}

/** To stop iterating early aborts the runner, which is no failure. */
function watchStop(runner: Runner, stopped: () => void): void {
  if (!hasMethod(runner, Symbol.asyncIterator)) return;
  const { [Symbol.asyncIterator]: iterate } = runner as unknown as { [Symbol.asyncIterator]: AnyFunction };
  setOwnMember(runner, Symbol.asyncIterator, function (this: unknown, ...args: unknown[]) {
    const iterator = Reflect.apply(iterate, this, args) as { return?: AnyFunction };
    const { return: stop } = iterator;
    if (typeof stop === 'function') {
      setOwnMember(iterator, 'return', function (this: unknown, ...given: unknown[]) {
        stopped();
        return Reflect.apply(stop, this, given);
      });
    }
    return iterator;
  });
}

/** What a runner has of its answer: what it has put together so far, else its last message. */
function messageOf(runner: object): unknown {
  const { currentMessage, currentChatCompletionSnapshot, receivedMessages, _chatCompletions } = runner as {
    currentMessage?: unknown;
    currentChatCompletionSnapshot?: unknown;
    receivedMessages?: unknown[];
    _chatCompletions?: unknown[];
  };
  return currentMessage ?? currentChatCompletionSnapshot ?? receivedMessages?.at(-1) ?? _chatCompletions?.at(-1);
}

const ENDS = /^response\.(completed|incomplete|failed)$/;

/** The response that the last event of a stream of the Responses API holds. */
function responseOf(event: unknown): unknown {
  const { type, response } = (event ?? {}) as { type?: unknown; response?: unknown };
  return typeof type === 'string' && ENDS.test(type) ? response : undefined;
}

/** The error of a response that the provider gave up. */
function failureOf(response: unknown): unknown {
  const { status, error } = (response ?? {}) as { status?: unknown; error?: unknown };
  return status === 'failed' ? (error ?? new Error('the response failed')) : undefined;
}
