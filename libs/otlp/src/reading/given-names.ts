import type { Given, OtelEvent, OtelMap, OtelSpan } from '@spandrel/plugin-api';

const NONE: ReadonlySet<string> = new Set();

/** What of a span stands in its input, output or metadata already, and is not stored a second time. */
export class GivenNames {
  private names: Set<string> | undefined;
  private events: Set<string> | undefined;

  add(given: Given | undefined): void {
    if (given === undefined) return;
    if (Array.isArray(given.from)) for (const name of given.from) (this.names ??= new Set()).add(name);
    if (Array.isArray(given.fromEvents)) for (const name of given.fromEvents) (this.events ??= new Set()).add(name);
  }

  /** Names of the span's attributes that are not stored. */
  get attributes(): ReadonlySet<string> {
    return this.names ?? NONE;
  }

  /** Whether an attribute of an event is not stored: as part of its body, or as the value that was taken. */
  hasOfEvent(span: OtelSpan, event: OtelEvent, name: string): boolean {
    if (this.events?.has(event.name) && !name.includes('.')) return true;
    return this.names?.has(name) === true && firstOf(span, name) === event.attributes.get(name);
  }
}

/** Dialects take the span's own attribute, else that of the first event that has it. */
function firstOf({ attributes, events }: OtelSpan, name: string): unknown {
  if (attributes.has(name)) return attributes.get(name);
  const has = (event: { attributes: OtelMap }): boolean => event.attributes.has(name);
  return events.find(has)?.attributes.get(name);
}
