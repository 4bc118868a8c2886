import { parser } from '@prometheus-io/lezer-promql';

/** What an expression asks for. */
export interface Query {
  /** Names of the metrics. */
  metrics: string[];
  /** Labels that it matches on, by metric. */
  matched: { metric: string; labels: string[] }[];
}

/** Reads a PromQL expression with Prometheus's own grammar. @throws when it is none. */
export function readQuery(expression: string): Query {
  const query: Query = { metrics: [], matched: [] };
  let labels: string[] | undefined;
  parser.parse(expression).iterate({
    enter: ({ name, type, from, to, node }) => {
      const text = expression.slice(from, to);
      if (type.isError) throw new Error(`not PromQL at ${from}: ${expression}`);
      if (name === 'Identifier' && node.parent?.name === 'VectorSelector') {
        query.metrics.push(text);
        query.matched.push({ metric: text, labels: (labels = []) });
      }
      if (name === 'LabelName' && node.parent?.name === 'UnquotedLabelMatcher') labels?.push(text);
    },
  });
  return query;
}
