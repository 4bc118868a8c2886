import { UnderscoreNamingStrategy } from '@mikro-orm/core';
import { rawSql, type Sql } from './sql.js';

/** What is read of an entity: its table and properties. */
interface EntityDescription {
  readonly meta: { tableName: string; properties: object };
}

const naming = new UnderscoreNamingStrategy();

/**
 * A table as the hot paths see it: rows are plain objects with the entity's property names, statements are made once
 * from the entity's definition, so that there is no second list of columns.
 */
export class Table<Row> {
  readonly name: string;
  readonly properties: readonly (keyof Row & string)[];

  /** @param key properties of the primary key, in its order. */
  constructor(
    entity: EntityDescription,
    readonly key: readonly (keyof Row & string)[],
  ) {
    this.name = entity.meta.tableName;
    this.properties = Object.keys(entity.meta.properties) as (keyof Row & string)[];
  }

  column(property: keyof Row & string): string {
    return naming.propertyToColumnName(property);
  }

  /** `alias.trace_id as "traceId", …`. @param properties all of them when left out. */
  select(alias: string, properties: readonly (keyof Row & string)[] = this.properties): Sql {
    return rawSql(properties.map((property) => `${alias}.${this.column(property)} as "${property}"`).join(', '));
  }
}
