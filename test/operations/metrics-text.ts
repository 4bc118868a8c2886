/** One metric as `/metrics` shows it. */
export interface ShownMetric {
  name: string;
  type: string;
  help: string;
  /** Names of the labels of its samples, `le` and `quantile` left out. */
  labels: Set<string>;
  /** Whole sample lines. */
  samples: string[];
}

const SUFFIXES = ['_bucket', '_sum', '_count'];

/** Reads the text format of Prometheus. @throws when a line is none of it. */
export function readMetrics(text: string): Map<string, ShownMetric> {
  const metrics = new Map<string, ShownMetric>();
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const about = /^# (HELP|TYPE) ([a-zA-Z_:][\w:]*) (.+)$/.exec(line);
    if (about) {
      const [, kind, name, rest] = about as unknown as [string, string, string, string];
      if (kind === 'HELP') metrics.set(name, { name, type: '', help: rest, labels: new Set(), samples: [] });
      else metrics.get(name)!.type = rest;
      continue;
    }
    const sample = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (?:[-+\d.eE]+|NaN|[+-]Inf)$/.exec(line);
    if (!sample) throw new Error(`not a line of metrics: ${line}`);
    const metric = familyOf(sample[1]!, metrics);
    if (!metric) throw new Error(`a sample without HELP and TYPE: ${line}`);
    metric.samples.push(line);
    for (const [, label] of (sample[2] ?? '').matchAll(/([a-zA-Z_]\w*)="(?:[^"\\]|\\.)*"/g)) {
      if (label !== 'le' && label !== 'quantile') metric.labels.add(label!);
    }
  }
  return metrics;
}

/** The metric that a name in a sample or an expression belongs to. */
export function familyOf<Metric>(name: string, metrics: ReadonlyMap<string, Metric>): Metric | undefined {
  const suffix = SUFFIXES.find((ending) => name.endsWith(ending));
  return metrics.get(name) ?? metrics.get(suffix ? name.slice(0, -suffix.length) : name);
}
