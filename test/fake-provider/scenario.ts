/**
 * What the fake provider is to do, by name, each with an argument if it takes one: `error-429`, `slow:200`. Several are
 * joined with `+`: `tools+gzip+slow-stream:10`. Named by the header `x-fake`, or by the model `fake:<scenario>`.
 */
export type Scenario = ReadonlyMap<string, string>;

export function readScenario(header: string | undefined, model: unknown): Scenario {
  const named = header ?? (typeof model === 'string' && model.startsWith('fake:') ? model.slice('fake:'.length) : '');
  const parts = named.split('+').filter((part) => part !== '');
  return new Map(
    parts.map((part) => {
      const [name = '', argument = ''] = part.trim().split(':');
      return [name, argument];
    }),
  );
}

/** The number a scenario was given, else the default. */
export function numberOf(scenario: Scenario, name: string, otherwise: number): number {
  const given = scenario.get(name);
  return given === undefined || given === '' ? otherwise : Number(given);
}

/** The status of `error-<status>`; `undefined` when the scenario is no error. */
export function errorStatusOf(scenario: Scenario): number | undefined {
  const name = [...scenario.keys()].find((key) => /^error-\d{3}$/.test(key));
  return name === undefined ? undefined : Number(name.slice('error-'.length));
}
