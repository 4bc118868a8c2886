import { describe, expect, it } from '@jest/globals';
import type { DatapointKind } from '@spandrel/contract';
import { ChangeDatapoints, DatasetSnapshots } from '@spandrel/datasets';
import { LOCAL_SCOPE, newId } from '@spandrel/kernel';
import fc from 'fast-check';
import { uploadRaw } from '../support/upload.ts';
import type { DatasetsServer } from './datasets-server.ts';
import { repetitions } from '../support/repetitions.ts';

type Operation =
  | { type: 'add'; count: number }
  | { type: 'edit'; which: number }
  | { type: 'remove'; which: number; count: number }
  | { type: 'import'; count: number }
  | { type: 'take' }
  | { type: 'release'; which: number };

const operation: fc.Arbitrary<Operation> = fc.oneof(
  fc.record({ type: fc.constant('add' as const), count: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ type: fc.constant('edit' as const), which: fc.nat() }),
  fc.record({ type: fc.constant('remove' as const), which: fc.nat(), count: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ type: fc.constant('import' as const), count: fc.integer({ min: 0, max: 3 }) }),
  fc.record({ type: fc.constant('take' as const) }),
  fc.record({ type: fc.constant('release' as const), which: fc.nat() }),
);

/** What a dataset holds: the input of every datapoint by its id, in order. */
type Contents = [id: string, input: unknown][];

export function datasetSnapshots(server: () => DatasetsServer): void {
  describe('a snapshot', () => {
    it('shows what was there, whatever changes later, until it is let go', async () => {
      const model = await Model.start(server());
      await model.apply({ type: 'add', count: 2 });
      await model.apply({ type: 'import', count: 3 });
      await model.apply({ type: 'take' });
      for (const which of [0, 2, 0, 2]) await model.apply({ type: 'edit', which });
      await model.apply({ type: 'take' });
      await model.apply({ type: 'import', count: 2 });
      for (const which of [0, 1, 4]) await model.apply({ type: 'remove', which, count: 1 });
      await model.apply({ type: 'take' });
      await model.apply({ type: 'edit', which: 1 });
      await model.apply({ type: 'remove', which: 1, count: 2 });
      expect(model.pinned).toHaveLength(3);
      await model.check();
      await model.apply({ type: 'release', which: 1 });
      await model.check();
      await model.apply({ type: 'release', which: 1 });
      await model.apply({ type: 'release', which: 0 });
      await model.check();
      expect(model.pinned).toHaveLength(0);
    });

    it(
      'shows what was there after any changes',
      () =>
        fc.assert(
          fc.asyncProperty(fc.array(operation, { maxLength: 25 }), async (operations) => {
            const model = await Model.start(server());
            for (const each of operations) await model.apply(each);
            await model.check();
            while (model.pinned.length > 0) await model.apply({ type: 'release', which: 0 });
            await model.check();
          }),
          { numRuns: repetitions(20) },
        ),
      120_000,
    );

    it('of nothing, taken twice, is one', async () => {
      const model = await Model.start(server());
      await model.apply({ type: 'take' });
      await model.apply({ type: 'take' });
      await model.apply({ type: 'add', count: 1 });
      await model.check();
      expect(model.pinned).toMatchObject([{ version: 0, contents: [] }]);
    });

    it('is of a dataset that is there', async () => {
      const { storage, app } = server();
      const taking = storage.write((tx) => app.get(DatasetSnapshots).take(tx, LOCAL_SCOPE, 'nope'));
      await expect(taking).rejects.toMatchObject({ code: 'dataset_not_found' });
    });
  });
}

/** A dataset beside a copy of what it must hold, now and at every version that a snapshot was taken of. */
class Model {
  readonly pinned: { version: number; contents: Contents }[] = [];
  private contents: Contents = [];
  private version = 0;
  private nextInput = 0;

  private constructor(
    private readonly server: DatasetsServer,
    private readonly datasetId: string,
  ) {}

  static start = async (server: DatasetsServer): Promise<Model> => new Model(server, await server.create());

  private get changes(): ChangeDatapoints {
    return this.server.app.get(ChangeDatapoints);
  }

  private get snapshots(): DatasetSnapshots {
    return this.server.app.get(DatasetSnapshots);
  }

  async apply(operation: Operation): Promise<void> {
    const { storage } = this.server;
    const scope = LOCAL_SCOPE;
    const target = 'which' in operation ? this.contents[operation.which % this.contents.length] : undefined;
    switch (operation.type) {
      case 'add': {
        const added = Array.from({ length: operation.count }, () => this.newDatapoint());
        await storage.write((tx) => this.changes.add(tx, scope, this.datasetId, added, Date.now()));
        this.contents.push(...added.map(({ id, kind }): Contents[0] => [id, inputOf(kind)]));
        this.version++;
        return;
      }
      case 'import': {
        const inputs = Array.from({ length: operation.count }, () => this.nextInput++);
        const body = inputs.map((input) => JSON.stringify({ input })).join('\n');
        await uploadRaw(this.server.url, this.datasetId, 'application/x-ndjson', body);
        if (operation.count === 0) return;
        const all = await this.server.datapoints(this.datasetId);
        this.contents.push(...all.slice(-operation.count).map(({ id }, i): Contents[0] => [id, inputs[i]]));
        this.version++;
        return;
      }
      case 'edit': {
        if (!target) return;
        const { kind } = this.newDatapoint();
        const change = { datasetId: this.datasetId, id: target[0], kind };
        await storage.write((tx) => this.changes.replace(tx, scope, change, Date.now()));
        this.contents = this.contents.map((each) => (each === target ? [each[0], inputOf(kind)] : each));
        this.version++;
        return;
      }
      case 'remove': {
        if (!target) return;
        const from = this.contents.indexOf(target);
        const ids = this.contents.slice(from, from + operation.count).map(([id]) => id);
        await storage.write((tx) => this.changes.remove(tx, scope, this.datasetId, ids, Date.now()));
        this.contents = this.contents.filter(([id]) => !ids.includes(id));
        this.version++;
        return;
      }
      case 'take': {
        const taken = await storage.write((tx) => this.snapshots.take(tx, scope, this.datasetId));
        expect(taken).toEqual({ version: this.version, count: this.contents.length });
        if (this.pinned.at(-1)?.version !== taken.version) {
          this.pinned.push({ version: taken.version, contents: [...this.contents] });
        }
        return;
      }
      case 'release': {
        if (this.pinned.length === 0) return;
        this.pinned.splice(operation.which % this.pinned.length, 1);
        const left = this.pinned.map(({ version }) => version);
        await storage.write((tx) => this.snapshots.release(tx, scope, this.datasetId, async () => left));
      }
    }
  }

  /** Compares what is there, now and in every snapshot, and that nothing else is kept when there is none. */
  async check(): Promise<void> {
    const scope = LOCAL_SCOPE;
    const shown = await this.server.datapoints(this.datasetId);
    expect(shown.map(({ id, kind }) => [id, inputOf(kind)])).toEqual(this.contents);
    const dataset = await this.server.dataset(this.datasetId);
    expect(dataset).toMatchObject({ version: this.version, datapoint_count: this.contents.length });
    for (const { version, contents } of this.pinned) {
      const snapshot = { datasetId: this.datasetId, version };
      const seen: Contents = [];
      const ids: string[] = [];
      for (let after = ''; ;) {
        const some = await this.snapshots.after(scope, snapshot, after, 2);
        if (some.length === 0) break;
        seen.push(...some.map(({ id, kind }): Contents[0] => [id, inputOf(kind)]));
        ids.push(
          ...(await this.snapshots.idsOfAny(scope, [snapshot], {
            afterId: after,
            order: 'asc',
            limit: some.length,
          })),
        );
        after = some.at(-1)!.id;
      }
      expect({ version, seen, ids }).toEqual({ version, seen: contents, ids: contents.map(([id]) => id) });
      for (const [id, input] of contents) {
        const found = (await this.snapshots.some(scope, snapshot, [id])).datapoints.get(id);
        expect(found && inputOf(found.kind)).toEqual(input);
      }
    }
    const snapshots = this.pinned.map(({ version }) => ({ datasetId: this.datasetId, version }));
    const ofAny = new Set(this.pinned.flatMap(({ contents }) => contents.map(([id]) => id)));
    if (snapshots.length > 0) {
      const ids = await this.snapshots.idsOfAny(scope, snapshots, {
        afterId: undefined,
        order: 'asc',
        limit: 1_000,
      });
      expect(ids).toEqual([...ofAny].toSorted());
    }
    if (snapshots.length === 0) {
      expect((await this.server.rowsOf(this.datasetId)).datapoints).toBe(this.contents.length);
    }
  }

  private newDatapoint() {
    const kind: DatapointKind = { Generic: { input: this.nextInput++ } };
    return { id: newId(), kind, source: 'manual' as const, sourceSpanId: null };
  }
}

const inputOf = (kind: DatapointKind): unknown => ('Generic' in kind ? kind.Generic.input : kind.LlmConversation);
