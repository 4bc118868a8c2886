import { formatTimestamp } from '@spandrel/contract';
import { isOtlp } from './cover/usage-cover.js';
import { shownKind, shownMetadata, shownStatus } from './span-resource.js';
import type { StoredSpan } from './span.entity.js';
import { STATUS } from './status.js';

/** Members that a finished span's metadata get from the service. */
const SERVICE_MEMBERS = ['"duration_ms"', '"total_tokens"', '"cost"'];

/** What can be large of a span's JSON, each as it stands there. */
export interface ShownTexts {
  kind: string;
  input: string;
  output: string;
  metadata: string;
  error: string;
}

/**
 * The JSON of `spanResource(span)`, character by character the same, made without parsing and writing anew what can be
 * large: input, output, kind and metadata are stored as JSON.
 */
export const spanJson = (span: StoredSpan): string => new SpanJson(span).whole;

/** The JSON of a span in pieces: its texts, and what stands between them. */
export class SpanJson {
  readonly texts: ShownTexts;
  private readonly head: string;
  private readonly tail: string;
  /** `undefined` for one that failed, whose status repeats its error. */
  private readonly status: string | undefined;

  constructor(span: StoredSpan) {
    const { status, error } = shownStatus(span);
    const endedAt = span.endedAt === null ? 'null' : `"${formatTimestamp(span.endedAt)}"`;
    this.head =
      `{"id":${JSON.stringify(span.id)},"trace_id":${JSON.stringify(span.traceId)},` +
      `"parent_id":${JSON.stringify(span.parentId)},"name":${JSON.stringify(span.name)},"kind":`;
    this.tail = `,"started_at":"${formatTimestamp(span.startedAt)}","ended_at":${endedAt},"metadata":`;
    this.status = typeof status === 'string' ? `"${status}"` : undefined;
    this.texts = {
      kind: kindJson(span),
      input: span.input ?? 'null',
      output: span.output ?? 'null',
      metadata: metadataJson(span),
      error: JSON.stringify(error),
    };
  }

  get whole(): string {
    return this.with(this.texts);
  }

  /** The JSON with other texts. */
  with({ kind, input, output, metadata, error }: ShownTexts): string {
    const status = this.status ?? `{"failed":{"error":${error === 'null' ? '""' : error}}}`;
    return `${this.head}${kind},"input":${input},"output":${output},"status":${status},"error":${error}${this.tail}${metadata}}`;
  }
}

const kindJson = (span: StoredSpan): string =>
  span.kindType === 'llm_call' || (isOtlp(span) && span.cost !== null) ? JSON.stringify(shownKind(span)) : span.kind;

function metadataJson(span: StoredSpan): string {
  const { metadata, durationMs, totalTokens, cost } = span;
  if (span.status === STATUS.running) return metadata ?? '{}';
  // Members of the caller's that have such a name, at whatever depth, are replaced where they stand.
  if (metadata !== null && SERVICE_MEMBERS.some((member) => metadata.includes(member))) {
    return JSON.stringify(shownMetadata(span));
  }
  const own = metadata === null || metadata === '{}' ? '{' : `${metadata.slice(0, -1)},`;
  return `${own}"duration_ms":${durationMs},"total_tokens":${totalTokens},"cost":${JSON.stringify(cost)}}`;
}
