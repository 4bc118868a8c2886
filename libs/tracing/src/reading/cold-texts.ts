import { Injectable } from '@nestjs/common';
import { DomainError, type Scope } from '@spandrel/kernel';
import type { SpanRow, StoredSpan } from '../span.entity.js';
import { ReadStoreAway, ReadStorePort, type SpanTexts } from './read-store-port.js';

/** A span is there, and its input and output are in the read store, which cannot be asked just now. */
export class TextsUnavailable extends DomainError {
  override readonly name = 'TextsUnavailable';
  /** @param ids of the spans. */
  constructor(
    readonly ids: readonly string[],
    options?: ErrorOptions,
  ) {
    super(
      'texts_unavailable',
      `span ${ids[0]} is there, but its input and output are in the read store, which cannot be reached or does not have them; try again soon`,
      { ...options, retryAfterSeconds: 5 },
    );
  }
}

export const isCold = ({ coldDigest }: Pick<StoredSpan, 'coldDigest'>): boolean => coldDigest !== null;

/** The one place where payloads that the database gave away are read (ADR 0087). */
@Injectable()
export class ColdTexts {
  constructor(private readonly port: ReadStorePort) {}

  /** Spans with all of their texts: one question for all that are cold. @throws TextsUnavailable */
  async complete<Span extends ColdSpan & SpanTexts>(scope: Scope, spans: Span[]): Promise<Span[]> {
    const cold = spans.filter(isCold);
    if (cold.length === 0) return spans;
    const texts = await this.textsOf(scope, cold);
    return spans.map((span) => (isCold(span) ? { ...span, ...texts.get(span.id)!, coldDigest: null } : span));
  }

  /** Input and output of spans that are cold, by their ids. @throws TextsUnavailable */
  async textsOf(scope: Scope, spans: readonly ColdSpan[]): Promise<Map<string, SpanTexts>> {
    const ids = spans.map(({ id }) => id);
    let found: Map<string, SpanTexts> | undefined;
    try {
      found = await this.port.registered?.textsOf(scope, spans);
    } catch (error) {
      if (!(error instanceof ReadStoreAway)) throw error;
      throw new TextsUnavailable(ids, { cause: error });
    }
    const missing = ids.filter((id) => !found?.has(id));
    if (!found || missing.length > 0) throw new TextsUnavailable(missing);
    return found;
  }
}

type ColdSpan = Pick<SpanRow, 'id' | 'traceId' | 'startedAt'> & Pick<StoredSpan, 'coldDigest'>;
