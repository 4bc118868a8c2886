import type { Api } from '../support/api.ts';
import { until } from '../support/spandrel.ts';

/** What the fuzzed instance holds, so that some ids exist. */
export class Seeds {
  private constructor(private readonly ids: Readonly<Record<string, string>>) {}

  /** Makes one of everything. Nothing listens where the connection points. */
  static async plant(api: Api): Promise<Seeds> {
    const make = async (path: string, body: unknown): Promise<string> => {
      const { status, body: made } = await api.post<{ id: string }>(path, body);
      if (status !== 201) throw new Error(`${path}: ${status} ${JSON.stringify(made)}`);
      return made.id;
    };
    const trace = await make('/api/traces', { name: 'seed', session_id: 'session', user_id: 'user', tags: ['a'] });
    const span = await make('/api/spans', { trace_id: trace, name: 'seed', input: 'in' });
    await api.post(`/api/spans/${span}/complete`, { output: 'out' });
    const dataset = await make('/api/datasets', { name: 'seed' });
    const datapoint = await make(`/api/datasets/${dataset}/datapoints`, { kind: { Generic: { input: 'in' } } });
    const rule = await make(`/api/datasets/${dataset}/capture-rules`, { name: 'seed', filters: { model: 'none' } });
    const connection = await make('/api/provider-connections', CONNECTION);
    const run = await make(`/api/datasets/${dataset}/eval`, {
      name: 'seed',
      config: { connection_id: connection, model: 'm' },
      scoring: 'None',
    });
    const elsewhere = { name: 'seed', execution: 'external', scoring: 'External', repeats: 100 };
    const external = await make(`/api/datasets/${dataset}/eval`, elsewhere);
    const closing = await make(`/api/datasets/${dataset}/eval`, elsewhere);
    // Nothing is to change by itself afterwards.
    await until(async () => {
      const { body } = await api.get<{ status: string }>(`/api/eval/${run}`);
      return body.status !== 'pending' && body.status !== 'running';
    });
    const queued = await api.post<{ items: { id: string }[] }>(`/api/datasets/${dataset}/queue`, {
      datapoint_ids: [datapoint],
    });
    const item = queued.body.items[0]!.id;
    return new Seeds({ trace, span, dataset, datapoint, rule, connection, run, external, closing, item });
  }

  /** A path with the ids of what was planted. */
  fill(path: string): string {
    const names: [RegExp, string][] = [
      [/(\/traces\/)\{\w+\}/, 'trace'],
      [/(\/spans\/)\{\w+\}/, 'span'],
      [/(\/datasets\/)\{\w+\}/, 'dataset'],
      [/(\/datapoints\/)\{\w+\}/, 'datapoint'],
      [/(\/capture-rules\/)\{\w+\}/, 'rule'],
      [/(\/provider-connections\/)\{\w+\}/, 'connection'],
      [/(\/eval\/)\{\w+\}(?=\/results)/, 'external'],
      [/(\/eval\/)\{\w+\}(?=\/complete)/, 'closing'],
      [/(\/eval\/)\{\w+\}/, 'run'],
      [/(\/queue\/)\{\w+\}/, 'item'],
    ];
    const filled = names.reduce((text, [pattern, name]) => text.replace(pattern, `$1${this.ids[name]}`), path);
    return filled.replace(/(\/sessions\/)\{\w+\}/, '$1session').replace(/(\/users\/)\{\w+\}/, '$1user');
  }

  /** Members of a body that is valid, of an operation whose required members depend on others; `undefined` for others. */
  body(operationId: string): object | undefined {
    const { datapoint, connection } = this.ids;
    const known: Record<string, object> = {
      startEval: { config: { connection_id: connection, model: 'm' }, scoring: 'None' },
      addEvalResults: { results: [{ datapoint_id: datapoint, output: 'x' }], on_conflict: 'replace' },
    };
    return known[operationId];
  }

  /** A valid value of a member that names something; `undefined` for others. */
  member(name: string): unknown {
    const { trace, span, datapoint, connection, run } = this.ids;
    const known: Record<string, unknown> = {
      ...CONNECTION,
      trace_id: trace,
      span_id: span,
      span_ids: [span],
      connection_id: connection,
      datapoint_ids: [datapoint],
      datapoint_id: datapoint,
      baseline_run_id: run,
      scoring: 'None',
    };
    return Object.hasOwn(known, name) ? known[name] : undefined;
  }
}

const CONNECTION = {
  name: 'seed',
  provider: 'custom',
  api_key: 'sk-seed-0123456789',
  base_url: 'http://127.0.0.1:9/v1',
};
