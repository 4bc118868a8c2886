import { Injectable } from '@nestjs/common';
import { AuditTrail } from '@spandrel/audit';
import type {
  CreateScoreDefinition,
  RejectedItem,
  RestoredScoreDefinition,
  UpdateScoreDefinition,
} from '@spandrel/contract';
import { Conflict, newId, NotFound, type Scope } from '@spandrel/kernel';
import { ProjectRows, Storage, type WriteTx } from '@spandrel/storage';
import { ScoreDefinitionEntity, scoreDefinitionTable, type ScoreDefinitionRow } from './score.entity.js';

export const scoreDefinitionNotFound = (): NotFound =>
  new NotFound('score_definition_not_found', 'there is no score definition with this id');

/** What scores of a name look like (docs/spec/scores.md#definitions). */
@Injectable()
export class ScoreDefinitionStore extends ProjectRows<ScoreDefinitionRow> {
  constructor(
    storage: Storage,
    private readonly audit: AuditTrail,
  ) {
    const [entity, table] = [ScoreDefinitionEntity, scoreDefinitionTable];
    super(storage, { entity, table, list: 'score_definitions', notFound: scoreDefinitionNotFound });
  }

  /** The definitions of some names, by these. */
  async findByNames(
    tx: WriteTx,
    { projectId }: Scope,
    names: readonly string[],
  ): Promise<Map<string, ScoreDefinitionRow>> {
    const found = await tx.em.find(ScoreDefinitionEntity, { projectId, name: { $in: [...new Set(names)] } });
    return new Map(found.map((definition) => [definition.name, definition]));
  }

  /** {@link findByNames} outside of a transaction. */
  async findAll({ projectId }: Scope, names: readonly string[]): Promise<Map<string, ScoreDefinitionRow>> {
    const found = await this.storage.find((em) =>
      em.find(ScoreDefinitionEntity, { projectId, name: { $in: [...names] } }),
    );
    return new Map(found.map((definition) => [definition.name, definition]));
  }

  /** @throws Conflict `id_conflict` for a name that has one. */
  create(scope: Scope, body: CreateScoreDefinition): Promise<ScoreDefinitionRow> {
    const now = Date.now();
    const row = {
      projectId: scope.projectId,
      id: newId(),
      name: body.name,
      ...membersOf(body),
      createdAt: now,
      updatedAt: now,
    };
    return this.storage.write(async (tx) => {
      if ((await this.findByNames(tx, scope, [body.name])).size > 0) {
        throw new Conflict('id_conflict', `there is a definition of the name "${body.name}"; change that one`);
      }
      await tx.em.insert(ScoreDefinitionEntity, row);
      return row;
    });
  }

  /** Scores that are there stay as they are. @throws NotFound `score_definition_not_found`. */
  update(scope: Scope, id: string, body: UpdateScoreDefinition): Promise<ScoreDefinitionRow> {
    const now = Date.now();
    return this.storage.write(async (tx) =>
      Object.assign(await this.getForWrite(tx, scope, id), membersOf(body), { updatedAt: now }),
    );
  }

  /** @throws NotFound `score_definition_not_found`. */
  async delete(scope: Scope, id: string): Promise<void> {
    await this.storage.write(async (tx) => {
      const definition = await this.getForWrite(tx, scope, id);
      tx.em.remove(definition);
      const target = { targetId: id, targetName: definition.name };
      this.audit.record(tx, { action: 'score_definition.deleted', ...scope, ...target });
    });
  }

  /** Upserts definitions of an export in one transaction. @returns those whose name has another definition here. */
  restore(scope: Scope, items: readonly RestoredScoreDefinition[]): Promise<RejectedItem<RestoredScoreDefinition>[]> {
    return this.storage.write(async (tx) => {
      const here = await this.findByNames(
        tx,
        scope,
        items.map(({ name }) => name),
      );
      const rejected: RejectedItem<RestoredScoreDefinition>[] = [];
      for (const item of items) {
        const { id, name, created_at: createdAt, updated_at: updatedAt } = item;
        const known = here.get(name);
        if (known && known.id !== id) {
          rejected.push({ item, code: 'id_conflict', message: 'there is another definition of this name' });
          continue;
        }
        const row = { projectId: scope.projectId, id, name, ...membersOf(item), createdAt, updatedAt };
        here.set(name, await tx.em.upsert(ScoreDefinitionEntity, row));
      }
      return rejected;
    });
  }
}

const LEVEL_OF_KIND = { number: 'interval', category: 'nominal', boolean: 'nominal', text: 'nominal' } as const;

const membersOf = ({ kind, min, max, categories, level, description }: UpdateScoreDefinition) => ({
  ...{ kind, min: min ?? null, max: max ?? null, description: description ?? null },
  categories: JSON.stringify((categories ?? []).map(({ label, value }) => ({ label, value: value ?? null }))),
  level: level ?? LEVEL_OF_KIND[kind],
});
