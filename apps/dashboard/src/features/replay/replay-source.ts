import type { CapabilitiesResource } from '@spandrel/contract';
import { formatCounted } from '@spandrel/contract/browser';
import { formatId } from '../../components/format.js';
import type { ChosenRows } from '../list/bulk-job.js';

const METADATA = 'metadata.';

/** The calls of a replay: single spans, or all that filters match. */
export interface ReplaySource {
  span_ids?: readonly string[];
  filters?: Readonly<Record<string, unknown>>;
}

interface Named {
  source: ReplaySource;
  what: string;
  name: string;
}

/** Which calls chosen rows of a list of spans are, and how they are called. */
export function sourceOfRows({ rows, count, isMore }: ChosenRows): Named {
  if ('operation' in rows) {
    const { view: _view, preview: _preview, include: _include, sort_by: _by, sort_order: _order, ...rest } = rows.query;
    const given = Object.entries(rest).filter(([, value]) => value !== undefined);
    const metadata = given.flatMap(([key, value]) =>
      key.startsWith(METADATA) ? [[key.slice(METADATA.length), value]] : [],
    );
    const filters = {
      ...Object.fromEntries(given.filter(([key]) => !key.startsWith(METADATA))),
      ...(metadata.length > 0 && { metadata: Object.fromEntries(metadata) }),
    };
    const many = count === undefined ? 'all spans' : `the ${formatCounted(count, 'span')}${isMore ? ' or more' : ''}`;
    const what = `Of ${many} that match, calls of models alone that no evaluation and no try made.`;
    return { source: { filters }, what, name: 'Filtered calls' };
  }
  return {
    source: { span_ids: rows },
    what: `${formatCounted(rows.length, 'selected span')}.`,
    name: 'Selected calls',
  };
}

/** Calls of a model, and how they are called. @param filters what else they match. */
export const sourceOfModel = (model: string, filters: object = {}): Named => ({
  source: { filters: { ...filters, model } },
  what: `Calls of ${formatId(model)} that no evaluation and no try made.`,
  name: model,
});

/** What a replay is scored by unless somebody chooses: recorded calls have no value that was expected. */
export const scoringFirst = (offered: CapabilitiesResource['scorers']): string =>
  (offered.find(({ needs_baseline: needs }) => needs) ?? offered[0])?.name ?? '';
