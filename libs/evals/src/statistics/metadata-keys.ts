import { Injectable } from '@nestjs/common';
import {
  GROUP_VALUE_LENGTH_MAX,
  GROUPS_MAX,
  isCostMetric,
  type EvalMetadata,
  type FieldError,
  type Gate,
} from '@spandrel/contract';
import { DatasetSnapshots, type Snapshot } from '@spandrel/datasets';
import { nearestName, type Scope } from '@spandrel/kernel';
import type { LongReadOptions } from '@spandrel/storage';
import { clusterKey } from './run-samples.js';

/** Keys that are kept beside those that were asked for. */
const KEYS_MAX = 100;

type GroupValue = NonNullable<Gate['group']>['value'];

interface Fault {
  member: string;
  message: string;
}

interface KnownKey {
  datapoints: number;
  /** The values by the keys that `clusterKey` makes of them. */
  values: Map<string, unknown>;
  hasMore: boolean;
}

/** The members that the metadata of datapoints have, with their values as far as groups can be made of them. */
export class MetadataKeys {
  private readonly known = new Map<string, KnownKey>();
  datapoints = 0;

  /** @param wanted keys that are kept, however many others there are. */
  constructor(private readonly wanted: readonly string[] = []) {}

  add(metadata: unknown): void {
    this.datapoints++;
    if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) return;
    for (const key of Object.keys(metadata)) {
      const text = clusterKey(metadata, key);
      if (text === undefined) continue;
      if (!this.known.has(key) && this.known.size >= KEYS_MAX && !this.wanted.includes(key)) continue;
      const known = this.known.getOrInsertComputed(key, () => ({ datapoints: 0, values: new Map(), hasMore: false }));
      known.datapoints++;
      if (known.values.has(text)) continue;
      const isTaken = known.values.size < GROUPS_MAX && text.length <= GROUP_VALUE_LENGTH_MAX;
      if (isTaken) known.values.set(text, JSON.parse(text));
      else known.hasMore = true;
    }
  }

  has(key: string): boolean {
    return this.known.has(key);
  }

  /** Says that no datapoint has a member, and which there are. */
  describeMissing(key: string): string {
    return `no datapoint has ${JSON.stringify(key)} in its metadata; ${describeNames(key, [...this.known.keys()])}`;
  }

  /** A gate with the key and the value of its group as the datapoints have them, and what is wrong with what it names. */
  resolve(asked: Gate, scorers: readonly string[]): { gate: Gate; faults: Fault[] } {
    const gate = this.withNamedGroup(asked, scorers);
    const faults: Fault[] = [];
    for (const member of ['by', 'cluster_by'] as const) {
      const key = gate[member] ?? undefined;
      if (key === undefined) continue;
      if (!this.has(key)) faults.push({ member, message: this.describeMissing(key) });
      else if (member === 'by' && this.hasTooMany(key)) {
        faults.push({ member, message: `${key} has more than ${GROUPS_MAX} values, or too long ones` });
      }
    }
    if (!gate.group) return { gate, faults };
    const group = this.findGroup(gate.group.key ?? undefined, gate.group.value);
    return 'message' in group ? { gate, faults: [...faults, group] } : { gate: { ...gate, group }, faults };
  }

  /** Whether there are more groups by a key than a run is divided into; datapoints without it are one. */
  private hasTooMany(key: string): boolean {
    const { values, hasMore, datapoints } = this.known.get(key)!;
    return hasMore || (values.size === GROUPS_MAX && datapoints < this.datapoints);
  }

  /** A gate on `legal` or `legal.tone` is of the group `legal` where no scorer is named so. */
  private withNamedGroup(gate: Gate, scorers: readonly string[]): Gate {
    if (!namesGroup(gate, scorers)) return gate;
    const name = gate.scorer!;
    const scorer = scorers.filter((each) => name.endsWith(`.${each}`)).toSorted((a, b) => b.length - a.length)[0];
    const value = scorer === undefined ? name : name.slice(0, -scorer.length - 1);
    const isKnown = this.known.keys().some((key) => this.findValue(key, value) !== undefined);
    return isKnown ? { ...gate, scorer, group: { value } } : gate;
  }

  private findGroup(key: string | undefined, value: GroupValue): { key: string; value: GroupValue } | Fault {
    if (key !== undefined && !this.has(key)) return { member: 'group.key', message: this.describeMissing(key) };
    if (value === null)
      return key === undefined ? { member: 'group.key', message: 'is required by null' } : { key, value };
    const keys = key === undefined ? [...this.known.keys()] : [key];
    const found = keys.flatMap((each) => {
      const same = this.findValue(each, value);
      return same === undefined ? [] : [{ key: each, value: same }];
    });
    if (found.length === 1) return found[0]!;
    const shown = JSON.stringify(value);
    if (found.length > 1) {
      const which = found.map((each) => each.key).join(', ');
      return { member: 'group.key', message: `is required, since ${which} have the value ${shown}` };
    }
    const where = key === undefined ? 'in its metadata' : `as ${key} in its metadata`;
    const texts = keys.flatMap((each) => [...this.known.get(each)!.values.values()].map(String));
    return {
      member: 'group.value',
      message: `no datapoint has ${shown} ${where}; ${describeNames(String(value), texts)}`,
    };
  }

  /** A value that is the same, or that a text says: `3` of a command line is also the number 3. */
  private findValue(key: string, value: GroupValue): GroupValue | undefined {
    const values = [...this.known.get(key)!.values.values()] as GroupValue[];
    return values.find((each) => each === value) ?? values.find((each) => String(each) === value);
  }

  toAnswer(): EvalMetadata {
    const keys = this.known.entries().map(([key, { datapoints, values, hasMore }]) => ({
      ...{ key, datapoints, values: [...values.values()], has_more: hasMore },
    }));
    return { keys: [...keys] };
  }
}

const SHOWN_MAX = 10;

function describeNames(name: string, known: readonly string[]): string {
  if (known.length === 0) return 'there is none';
  const nearest = nearestName(name, known);
  const more = known.length > SHOWN_MAX ? ', …' : '';
  return `there are ${known.slice(0, SHOWN_MAX).join(', ')}${more}${nearest === undefined ? '' : ` (${nearest}?)`}`;
}

/** Reads what the metadata of a snapshot's datapoints have, for groups and clusters. */
@Injectable()
export class ReadMetadata {
  constructor(private readonly contents: DatasetSnapshots) {}

  /** @param snapshot its version that of now when left out. @param wanted keys that are kept, however many others there are. */
  async execute(
    scope: Scope,
    snapshot: Pick<Snapshot, 'datasetId'> & Partial<Snapshot>,
    wanted: readonly string[] = [],
    options: LongReadOptions = {},
  ): Promise<MetadataKeys> {
    const keys = new MetadataKeys(wanted);
    await this.contents.eachMetadata(scope, snapshot, (metadata) => keys.add(metadata), options);
    return keys;
  }

  /**
   * Looks up what gates name of the datapoints' metadata (docs/spec/eval-gates.md#gates-of-groups).
   * @returns the gates with the keys and values of their groups, and what is wrong with them.
   */
  async resolveGates(
    scope: Scope,
    snapshot: Pick<Snapshot, 'datasetId'> & Partial<Snapshot>,
    gates: readonly Gate[],
    scorers: readonly string[],
  ): Promise<{ gates: Gate[]; faults: FieldError[] }> {
    const wanted = gates.flatMap(({ group, by, cluster_by: clusterBy }) => [group?.key, by, clusterBy].filter(isText));
    const names = gates.some((gate) => gate.group || namesGroup(gate, scorers));
    if (wanted.length === 0 && !names) return { gates: [...gates], faults: [] };
    const keys = await this.execute(scope, snapshot, wanted);
    const faults: FieldError[] = [];
    const resolved = gates.map((gate, index) => {
      const found = keys.resolve(gate, scorers);
      faults.push(...found.faults.map(({ member, message }) => ({ path: `gates[${index}].${member}`, message })));
      return found.gate;
    });
    return { gates: resolved, faults };
  }
}

/** Whether the name of a gate's scorer is no scorer's, and so may be that of a group. */
const namesGroup = ({ scorer, group, metric }: Gate, scorers: readonly string[]): boolean =>
  typeof scorer === 'string' && !scorers.includes(scorer) && !group && !isCostMetric(metric);

const isText = (key: string | null | undefined): key is string => typeof key === 'string';
