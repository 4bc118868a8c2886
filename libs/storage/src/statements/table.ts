import { UnderscoreNamingStrategy } from '@mikro-orm/core';
import { rawSql, type Sql } from './sql.js';

/** What is read of an entity: its table and properties. */
interface EntityDescription {
  readonly meta: { tableName: string; properties: Record<string, { nullable?: boolean }> };
}

const naming = new UnderscoreNamingStrategy();

/**
 * A table as the hot paths see it: rows are plain objects with the entity's property names, statements are made once
 * from the entity's definition, so that there is no second list of columns.
 */
export class Table<Row> {
  readonly name: string;
  readonly properties: readonly (keyof Row & string)[];
  /** Properties that cannot be `null`. */
  readonly required: readonly (keyof Row & string)[];
  /** Properties outside the primary key. */
  readonly notKey: readonly (keyof Row & string)[];
  private readonly columns: ReadonlyMap<string, string>;

  /** @param key properties of the primary key, in its order. */
  constructor(
    entity: EntityDescription,
    readonly key: readonly (keyof Row & string)[],
  ) {
    this.name = entity.meta.tableName;
    const properties = Object.entries<{ nullable?: boolean }>(entity.meta.properties);
    this.properties = properties.map(([property]) => property as keyof Row & string);
    this.required = this.properties.filter((_, index) => properties[index]![1].nullable !== true);
    this.notKey = this.properties.filter((property) => !key.includes(property));
    this.columns = new Map(this.properties.map((property) => [property, naming.propertyToColumnName(property)]));
  }

  column(property: keyof Row & string): string {
    return this.columns.get(property)!;
  }

  /** `alias.trace_id as "traceId", …`. @param properties all of them when left out. */
  select(alias: string, properties: readonly (keyof Row & string)[] = this.properties): Sql {
    return rawSql(properties.map((property) => `${alias}.${this.column(property)} as "${property}"`).join(', '));
  }
}
