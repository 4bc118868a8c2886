import { globSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { SchemaGenerator } from '@mikro-orm/sql';
import type { Logger } from '@spandrel/kernel';
import { migrate } from '../src/migrations/migrate.js';
import { openOrm, type StorageConfig } from '../src/open-storage.js';
import type { Dialect } from '../src/statements/sql.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));

interface Entity {
  meta: { tableName: string };
}

export interface SchemaDifference {
  statements: string[];
  /** Statements about tables in partitions, which are written by hand: building an index there holds up all writes. */
  byHand: string[];
}

/** Brings a database up to date and compares its tables with the entities of all features. */
export async function schemaDifference(config: StorageConfig, logger: Logger): Promise<SchemaDifference> {
  const opened = await openOrm(config, { entities: await entitiesOf(config.dialect), logger });
  const { orm } = opened;
  try {
    let partitioned = new Set<string>();
    if (opened.dialect === 'sqlite') {
      await migrate(orm, 'sqlite');
    } else {
      await opened.withoutStatementTimeout((pool) => migrate(orm, 'postgres', pool));
      const { rows } = await opened.pool.query<{ name: string }>(
        'select relname as name from pg_partitioned_table join pg_class on oid = partrelid',
      );
      partitioned = new Set(rows.map(({ name }) => name));
    }
    const generator = orm.config.getExtension<SchemaGenerator>('@mikro-orm/schema-generator')!;
    return sorted(await generator.getUpdateSchemaSQL({ wrap: false }), partitioned);
  } finally {
    await opened.close();
  }
}

/** The entities of all `*.entity.ts`; on Postgres those of `POSTGRES_ENTITIES` stand for others of the same table. */
async function entitiesOf(dialect: Dialect): Promise<Entity[]> {
  const byTable = new Map<string, Entity>();
  const instead: Entity[] = [];
  for (const file of globSync('libs/*/src/**/*.entity.ts', { cwd: root }).toSorted()) {
    const exported = (await import(pathToFileURL(`${root}${file}`).href)) as { POSTGRES_ENTITIES?: Entity[] };
    const { POSTGRES_ENTITIES: ofPostgres = [], ...others } = exported;
    instead.push(...ofPostgres);
    for (const entity of Object.values(others as Record<string, Entity>)) {
      if (entity?.meta?.tableName && !ofPostgres.includes(entity)) byTable.set(entity.meta.tableName, entity);
    }
  }
  if (dialect === 'postgres') for (const entity of instead) byTable.set(entity.meta.tableName, entity);
  return [...byTable.values()];
}

function sorted(text: string, partitioned: ReadonlySet<string>): SchemaDifference {
  const all = text
    .split(/;\s*\n/)
    .map((line) => line.trim().replace(/;$/, ''))
    .filter(Boolean);
  const isByHand = (statement: string): boolean => {
    const table = /(?:alter table(?: if exists)?|\bon) "?(\w+)"?/i.exec(statement)?.[1];
    return table !== undefined && partitioned.has(table);
  };
  return {
    statements: all.filter((statement) => !isByHand(statement)),
    byHand: all.filter(isByHand),
  };
}
