import type { Endpoint, StreamFrame } from '../provider.js';

/** The frames of a streamed answer kept as text: server-sent events (comments left out) or one JSON value a line. */
export function framesOf(text: string, framing: Endpoint['framing']): StreamFrame[] {
  if (framing === 'ndjson') {
    return text.split('\n').flatMap((line) => (line.trim() === '' ? [] : { data: line }));
  }
  return text.split(/\r?\n\r?\n/).flatMap((block) => {
    const fields = block.split(/\r?\n/).map((line) => /^(event|data):[ ]?(.*)$/.exec(line));
    const valuesOf = (name: string) => fields.flatMap((field) => (field?.[1] === name ? (field[2] ?? '') : []));
    const data = valuesOf('data');
    const event = valuesOf('event').at(-1);
    return data.length === 0 ? [] : { ...(event !== undefined && { event }), data: data.join('\n') };
  });
}
