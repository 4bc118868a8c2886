import type { Api } from '../../../libs/sdk/src/api/client.js';
import type { EvalSpandrel } from '../../../libs/sdk/src/evaluating/definition.js';

/** What was made with a {@link silentSpandrel}. */
interface Noted {
  traces: { name: string; tags: readonly string[]; metadata: object }[];
  spans: { name: string; input: unknown; output?: unknown }[];
}

/** A Spandrel that sends nothing and notes what it is given. */
export function silentSpandrel(api: Partial<Api> = {}): EvalSpandrel & { noted: Noted } {
  const noted: Noted = { traces: [], spans: [] };
  return {
    api: api as Api,
    noted,
    trace(name, members, run) {
      noted.traces.push({ name, ...members });
      return run({ id: `trace-${noted.traces.length}` });
    },
    span(name, members, run) {
      const span: Noted['spans'][number] = { name, input: members.input };
      noted.spans.push(span);
      return run({ id: `span-${noted.spans.length}`, set: ({ output }) => (span.output = output) });
    },
    flush: () => Promise.resolve(),
  };
}
