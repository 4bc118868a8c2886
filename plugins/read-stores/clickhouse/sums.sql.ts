import {
  isKeyOfTrace,
  READ_STORE_KEYS,
  READ_STORE_MEASURES,
  type ReadStoreKey,
  type ReadStoreRank,
  type ReadStoreSumQuery,
  type ReadStoreSums,
} from '@spandrel/plugin-api';
import { literal, matchingSpans, rowsAsTable, tracesOf } from './list.sql.js';

/** A row of sums: bucket, part, place, both keys, the measures, and two histograms as steps and counts. */
export type SumsTuple = [number, ReadStoreSums['part'], number | null, string | null, string | null, ...unknown[]];

/** @param keys how many were asked for. */
export function sumsOfRow([bucket, part, place, key1, key2, ...rest]: SumsTuple, keys: number): ReadStoreSums {
  const measures = READ_STORE_MEASURES.map((name, at) => [name, rest[at]]);
  const [latencies, firsts] = rest.slice(READ_STORE_MEASURES.length) as [number[], number[]][];
  const pairs = ([steps, counts]: [number[], number[]]) => steps.map((step, at) => [step, counts[at]!] as const);
  const sums = Object.fromEntries(measures) as Pick<ReadStoreSums, (typeof READ_STORE_MEASURES)[number]>;
  return {
    ...{ bucket, part, place, keys: [key1, key2].slice(0, keys), ...sums },
    ...{ latencies: pairs(latencies!), first_tokens: pairs(firsts!) },
  };
}

const OF_SPAN: Record<keyof typeof TYPES, string> = {
  spans: 'count()',
  tokens: 'sum(toFloat64(ifNull(total_tokens, 0)))',
  input_tokens: 'sum(toFloat64(ifNull(input_tokens, 0)))',
  cached_tokens: 'sum(toFloat64(ifNull(cached_tokens, 0)))',
  finished: `countIf(status != 'running')`,
  duration_ms: 'sum(toFloat64(ifNull(duration_ms, 0)))',
  errors: `countIf(status = 'failed')`,
  priced: 'count(cost)',
  unpriced: `countIf(cost IS NULL AND total_tokens > 0 AND status != 'running')`,
  usd: 'sum(usd_)',
  micro: 'sum(intDiv(pico_, 1000000))',
  pico: 'sum(pico_ % 1000000)',
  scores: 'toInt64(0)',
  score_sum: 'toFloat64(0)',
};
const TYPES = {
  ...{ spans: 'Int64', tokens: 'Float64', input_tokens: 'Float64', cached_tokens: 'Float64', finished: 'Int64' },
  ...{ duration_ms: 'Float64', errors: 'Int64', priced: 'Int64', unpriced: 'Int64', usd: 'Int64', micro: 'Int64' },
  ...{ pico: 'Int64', scores: 'Int64', score_sum: 'Float64' },
} satisfies Record<(typeof READ_STORE_MEASURES)[number], string>;

const GIVEN_COLUMNS = [
  'started_at Int64, trace_id String, latency Nullable(Int64), first_token Nullable(Int64)',
  ...['name', 'kind', 'model', 'provider', 'status'].map((column) => `${column} Nullable(String)`),
  ...READ_STORE_MEASURES.map((name) => `${name} ${TYPES[name]}`),
].join(', ');

/** A cost in whole dollars and trillionths: the same operations on the same doubles as everywhere. */
const CAPPED = 'least(ifNull(cost, 0), 1000000000)';
const COST = `toInt64(floor(${CAPPED})) AS usd_, (${CAPPED} - floor(${CAPPED})) * 1000000000000 AS part_,
  toInt64(floor(part_)) + (part_ - floor(part_) >= 0.5) AS pico_`;

const RANKS: Record<ReadStoreRank, string> = {
  count: 'sum(spans) OVER g',
  cost: 'sum(usd) OVER g * 1000000. + sum(micro) OVER g + sum(pico) OVER g / 1000000.',
  tokens: 'sum(tokens) OVER g',
  input_tokens: 'sum(input_tokens) OVER g',
  output_tokens: 'sum(tokens) OVER g - sum(input_tokens) OVER g',
  avg_latency: 'sum(duration_ms) OVER g / nullIf(sum(finished) OVER g, 0)',
  errors: 'sum(errors) OVER g',
  error_rate: 'sum(errors) OVER g / nullIf(sum(finished) OVER g, 0)',
  score_mean: 'sum(score_sum) OVER g / nullIf(sum(scores) OVER g, 0)',
};

/** A key of a span, or of a row that came with the question; a tag as all tags of the trace. */
function keyOf(key: ReadStoreKey): string {
  if (key.startsWith('metadata.')) {
    const name = literal(key.slice('metadata.'.length));
    return `if(mapContains(t.metadata, ${name}), t.metadata[${name}], NULL)`;
  }
  if (key === 'tag') return `if(empty(t.tags), [NULL], CAST(t.tags, 'Array(Nullable(String))'))`;
  if (key === 'status')
    return `if(s.status IS NULL, NULL, toString(indexOf(['running', 'completed', 'failed'], assumeNotNull(s.status)) - 1))`;
  return `${isKeyOfTrace(key) ? 't' : 's'}.${READ_STORE_KEYS[key as keyof typeof READ_STORE_KEYS]}`;
}

const all = (form: (measure: string) => string): string => READ_STORE_MEASURES.map(form).join(', ');
const addedUp = all((name) => `sum(${name}) AS ${name}`);
const HISTOGRAMS = ['latencies', 'first_tokens'] as const;
const STEPS = { latencies: 'latency', first_tokens: 'first_token' } as const;

/** Sums as an array of {@link SumsTuple}: all of one pass through the spans. */
export function selectSums(database: string, query: ReadStoreSumQuery): string {
  const { keys, bucket, top } = query;
  const names = keys.map((_, at) => `k${at + 1}`);
  const listed = (pieces: readonly string[]): string => pieces.map((piece) => `, ${piece}`).join('');
  const isOfTraces = keys.some(isKeyOfTrace);
  const join = isOfTraces
    ? ` LEFT JOIN ${tracesOf(database, query, ['id', 'name', 'session_id', 'user_id', 'tags', 'metadata'])} AS t ON t.id = s.trace_id`
    : '';
  const start = bucket
    ? `s.started_at - positiveModulo(s.started_at - ${literal(bucket.origin)}, ${bucket.width})`
    : 'toInt64(0)';
  const asked = HISTOGRAMS.filter((name) => query[name]);
  const step = (value: string): string => `roundDown(${value}, CAST([${query.steps.join(', ')}], 'Array(Int64)'))`;
  const grouping = `bucket${listed(names)}`;
  const keyed = keys.map((key, at) => `${keyOf(key)} AS k${at + 1}`);
  const plain = keys.map((key, at) =>
    key === 'tag' ? `k${at + 1}` : `CAST(k${at + 1}, 'Nullable(String)') AS k${at + 1}`,
  );
  // Columns of the question come first, so that payloads are read for no span.
  const spans = `SELECT trace_id, name, kind, model, provider, status, started_at, cost, input_tokens, total_tokens, cached_tokens,
    duration_ms, duration_ms AS latency, first_token_ms AS first_token, ${COST} FROM ${matchingSpans(database, query)}`;
  const steps = asked.map((name) => `${step(`s.${STEPS[name]}`)} AS ${STEPS[name]}_`);
  const ofSpans = `SELECT ${start} AS bucket${listed(keyed)}${listed(steps)}, ${all((name) => `${OF_SPAN[name as keyof typeof OF_SPAN]} AS ${name}`)}
    FROM (${spans}) AS s${join} GROUP BY ${grouping}${listed(asked.map((name) => `${STEPS[name]}_`))}`;
  const ofGiven = `SELECT ${start} AS bucket${listed(keyed)}${listed(steps)}, ${all((name) => `s.${name} AS ${name}`)}
    FROM ${rowsAsTable(GIVEN_COLUMNS, query.given)} AS s${join}`;
  const parts = [ofSpans, ...(query.given.length > 0 ? [ofGiven] : [])].map(
    (part) =>
      `SELECT bucket${listed(plain)}${listed(asked.map((name) => `${STEPS[name]}_`))}, ${all((name) => `to${TYPES[name as keyof typeof TYPES]}(${name}) AS ${name}`)} FROM (${part})`,
  );
  const counted = asked.map((name) => {
    const some = (value: string) => `if(${STEPS[name]}_ IS NULL, [], [${value}])`;
    return `sumMap(${some(`assumeNotNull(${STEPS[name]}_)`)}, ${some('spans')}) AS ${name}`;
  });
  const grouped = `SELECT ${grouping}, ${addedUp}${listed(counted)} FROM (${parts.join(' UNION ALL ')}) GROUP BY ${grouping}`;
  const merged = asked.map((name) => `sumMap(${name}.1, ${name}.2) AS ${name}`);
  const summed = placed(query, names, grouped, top);
  const histograms = HISTOGRAMS.map((name) => (query[name] ? name : '([], [])'));
  return `SELECT groupArray((bucket, part, place, k1, k2, ${READ_STORE_MEASURES.join(', ')}, ${histograms.join(', ')})) FROM (
    SELECT bucket, part, place, k1, k2, ${addedUp}${listed(merged)} FROM (${summed})
    GROUP BY bucket, part, place, k1, k2 ORDER BY bucket, part, place NULLS LAST LIMIT ${query.limit})`;
}

/** Groups with their place and the part that they are of; `null` in place of the keys of those that are not distinguished. */
function placed(
  { keys, rank, has_none: hasNone }: ReadStoreSumQuery,
  names: string[],
  grouped: string,
  top: number,
): string {
  if (names.length === 0)
    return `SELECT *, 0 AS part, CAST(NULL, 'Nullable(UInt64)') AS place, CAST(NULL, 'Nullable(String)') AS k1, k1 AS k2 FROM (${grouped})`;
  const tag = keys.indexOf('tag');
  const each = names.map((name, at) => (at === tag ? 'tag_' : name));
  const exploded = tag === -1 ? grouped : `SELECT *, arrayJoin(k${tag + 1}) AS tag_ FROM (${grouped})`;
  const totals = `SELECT *, ${hasNone ? '0' : each.map((name) => `isNull(${name})`).join(' OR ')} AS out_,
    ${RANKS[rank]} AS rank_, sum(spans) OVER g AS count_ FROM (${exploded}) WINDOW g AS (PARTITION BY ${each.join(', ')})`;
  const order = each.map((name) => `isNotNull(${name}), ${name}`).join(', ');
  const ranked = `SELECT *, dense_rank() OVER (PARTITION BY out_ ORDER BY isNull(rank_), rank_ DESC, count_ DESC, ${order}) AS rank_place_,
    NOT out_ AND rank_place_ <= ${top} AS has_place_ FROM (${totals})`;
  const nth = `(PARTITION BY bucket, ${names.join(', ')} ORDER BY ${each.join(', ')})`;
  const whole = `(PARTITION BY bucket, ${names.join(', ')})`;
  const [from, parts] =
    tag === -1
      ? [ranked, keys.some(isKeyOfTrace) ? '[0, 1]' : '[2]']
      : [
          `SELECT *, row_number() OVER ${nth} = 1 AS first_, max(has_place_) OVER ${whole} AS any_ FROM (${ranked})`,
          'arrayConcat(if(first_, [0], []), if(has_place_ OR (first_ AND NOT any_), [1], []))',
        ];
  const shown = (value: string): string => `if(part > 0 AND has_place_, ${value}, NULL)`;
  const [key1 = 'NULL', key2] = each;
  return `SELECT bucket, ${READ_STORE_MEASURES.join(', ')}, * EXCEPT (bucket, ${READ_STORE_MEASURES.join(', ')}${names.map((name) => `, ${name}`).join('')}),
    arrayJoin(${parts}) AS part, ${shown('rank_place_')} AS place,
    ${shown(key1)} AS k1, ${key2 === undefined ? `CAST(NULL, 'Nullable(String)')` : shown(key2)} AS k2 FROM (${from})`;
}
