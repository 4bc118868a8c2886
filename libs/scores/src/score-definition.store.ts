import { LockMode } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { AuditTrail } from '@spandrel/audit';
import type {
  CreateScoreDefinition,
  PlainList,
  RejectedItem,
  RestoredScoreDefinition,
  UpdateScoreDefinition,
} from '@spandrel/contract';
import { Conflict, newId, NotFound, type Scope } from '@spandrel/kernel';
import { IdOrder, Storage, type LongReadOptions, type Page, type WriteTx } from '@spandrel/storage';
import { ScoreDefinitionEntity, scoreDefinitionTable, type ScoreDefinitionRow } from './score.entity.js';

const IN_ORDER = new IdOrder('score_definitions', 'f.id', 'asc');
const COLUMNS = scoreDefinitionTable.select('f');
const LOCKED = { lockMode: LockMode.PESSIMISTIC_WRITE } as const;

export const scoreDefinitionNotFound = (): NotFound =>
  new NotFound('score_definition_not_found', 'there is no score definition with this id');

/** What scores of a name look like (docs/spec/scores.md#definitions). */
@Injectable()
export class ScoreDefinitionStore {
  constructor(
    private readonly storage: Storage,
    private readonly audit: AuditTrail,
  ) {}

  /** @throws NotFound `score_definition_not_found`. */
  async get({ projectId }: Scope, id: string): Promise<ScoreDefinitionRow> {
    const definition = await this.storage.find((em) => em.findOne(ScoreDefinitionEntity, { projectId, id }));
    if (!definition) throw scoreDefinitionNotFound();
    return definition;
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

  /** In the order in which they were made. @throws Invalid `invalid_cursor`. */
  list(scope: Scope, query: PlainList, options: LongReadOptions): Promise<Page<ScoreDefinitionRow>> {
    return IN_ORDER.page(query, (rest) =>
      this.storage.readLong(
        COLUMNS.query`select ${COLUMNS} from score_definition f where f.project_id = ${scope.projectId} and ${rest}`,
        options,
      ),
    );
  }

  /** Definitions behind an id, in the order of their ids; none at the end. */
  after(scope: Scope, afterId: string, limit: number, options: LongReadOptions): Promise<ScoreDefinitionRow[]> {
    return this.storage.readLong(
      COLUMNS.query`select ${COLUMNS} from score_definition f
        where f.project_id = ${scope.projectId} and f.id > ${afterId} order by f.id limit ${limit}`,
      options,
    );
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
      Object.assign(await this.lock(tx, scope, id), membersOf(body), { updatedAt: now }),
    );
  }

  /** @throws NotFound `score_definition_not_found`. */
  async delete(scope: Scope, id: string): Promise<void> {
    await this.storage.write(async (tx) => {
      const definition = await this.lock(tx, scope, id);
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

  private async lock(tx: WriteTx, { projectId }: Scope, id: string): Promise<ScoreDefinitionRow> {
    const definition = await tx.em.findOne(ScoreDefinitionEntity, { projectId, id }, LOCKED);
    if (!definition) throw scoreDefinitionNotFound();
    return definition;
  }
}

const LEVEL_OF_KIND = { number: 'interval', category: 'nominal', boolean: 'nominal', text: 'nominal' } as const;

const membersOf = ({ kind, min, max, categories, level, description }: UpdateScoreDefinition) => ({
  ...{ kind, min: min ?? null, max: max ?? null, description: description ?? null },
  categories: JSON.stringify((categories ?? []).map(({ label, value }) => ({ label, value: value ?? null }))),
  level: level ?? LEVEL_OF_KIND[kind],
});
