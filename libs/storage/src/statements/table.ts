import {
  BigIntType,
  BlobType,
  DoubleType,
  IntegerType,
  SmallIntType,
  TextType,
  UnderscoreNamingStrategy,
  type EntitySchema,
  type InferEntity,
} from '@mikro-orm/core';
import { nullable, RowShape, type Column, type Columns, type Kind } from './row-shape.js';
import { rawSql, sql, type Sql, type Dialect } from './sql.js';

interface EntityDescription {
  readonly meta: { tableName: string; properties: Record<string, PropertyDescription> };
}

interface PropertyDescription {
  nullable?: boolean;
  type?: unknown;
}

/** The plain members of an entity, without the ORM's markers. */
type Flat<Entity> = {
  [Member in keyof Entity as Member extends string ? Member : never]: Exclude<Entity[Member], undefined>;
};

export type RowOf<Schema> = Required<Flat<InferEntity<Schema>>>;

/** An entity as an entity manager reads and writes it: no member is `undefined`, a column without a value is `null`. */
export const entityOf = <Schema extends EntityDescription>(schema: Schema): EntitySchema<RowOf<Schema>> =>
  schema as unknown as EntitySchema<RowOf<Schema>>;

/** Columns to select, put into a statement as they are, and the shape of what then comes back. */
export class Selection<Row> extends RowShape<Row> implements Sql {
  readonly writeTo: Sql['writeTo'];

  constructor(columns: Columns, list: Sql) {
    super(columns);
    this.writeTo = list.writeTo;
  }

  /** The columns, nullable: for an outer join that may find no row for them. */
  orNull(): Selection<{ [Name in keyof Row]: Row[Name] | null }> {
    const columns = Object.entries(this.columns).map(([name, column]) => [name, nullable(column)]);
    return new Selection(Object.fromEntries(columns), this);
  }

  /** The columns of both, in one list. */
  beside<Other>(other: Selection<Other>): Selection<Row & Other> {
    return new Selection({ ...this.columns, ...other.columns }, sql`${this}, ${other}`);
  }
}

const naming = new UnderscoreNamingStrategy();

type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Name;

/** The properties of a row that a resource of the wire has as they are, under the names of their columns. */
type MembersOf<Row, Resource> = {
  [Name in keyof Row & string as Resource extends Record<SnakeCase<Name>, Row[Name]> ? Name : never]: Row[Name];
};

/** A table as hand-written SQL sees it: rows are plain objects with the entity's property names. */
export class Table<Row> {
  readonly name: string;
  readonly properties: readonly (keyof Row & string)[];
  readonly required: readonly (keyof Row & string)[];
  readonly notKey: readonly (keyof Row & string)[];
  private readonly columns: ReadonlyMap<string, string>;
  private readonly shapes: ReadonlyMap<string, Column>;

  /** @param key properties of the primary key, in its order. @param without properties that this view of it leaves out. */
  constructor(
    entity: EntityDescription,
    readonly key: readonly (keyof Row & string)[],
    without: readonly string[] = [],
  ) {
    this.name = entity.meta.tableName;
    const properties = Object.entries(entity.meta.properties).filter(([name]) => !without.includes(name));
    this.shapes = new Map(properties.map(([name, property]) => [name, columnOf(property)]));
    this.properties = [...this.shapes.keys()] as (keyof Row & string)[];
    this.required = this.properties.filter((property) => !this.shapes.get(property)!.nullable);
    this.notKey = this.properties.filter((property) => !key.includes(property));
    this.columns = new Map(this.properties.map((property) => [property, naming.propertyToColumnName(property)]));
  }

  column(property: keyof Row & string): string {
    return this.columns.get(property)!;
  }

  /** What a resource of the wire has in the form of the column of its name. */
  membersOf<Resource extends object>(resource: Resource): MembersOf<Row, Resource> {
    const said = this.properties.map((name) => [name, resource[this.column(name) as keyof Resource]] as const);
    return Object.fromEntries(said.filter(([name, value]) => isOfKind(value, this.kindOf(name)))) as never;
  }

  kindOf(property: keyof Row & string): Kind {
    return this.shapes.get(property)!.kind;
  }

  /** `alias.trace_id as "traceId", …`, all columns. */
  select(alias: string): Selection<Row>;
  select<Name extends keyof Row & string>(alias: string, properties: readonly Name[]): Selection<Pick<Row, Name>>;
  select(alias: string, properties: readonly (keyof Row & string)[] = this.properties): Selection<Row> {
    const list = properties.map((property) => `${alias}.${this.column(property)} as "${property}"`).join(', ');
    return new Selection(Object.fromEntries(properties.map((name) => [name, this.shapes.get(name)!])), rawSql(list));
  }
}

const isOfKind = (value: unknown, kind: Kind): boolean =>
  value === null || typeof value === (kind === 'integer' ? 'number' : kind === 'text' ? 'string' : kind);

/** The table of an entity. @param key properties of the primary key, in its order. @param without properties to leave out. */
export const tableOf = <Schema extends EntityDescription, Left extends keyof RowOf<Schema> & string = never>(
  entity: Schema,
  key: readonly (keyof Omit<RowOf<Schema>, Left> & string)[],
  without: readonly Left[] = [],
): Table<Omit<RowOf<Schema>, Left>> => new Table<Omit<RowOf<Schema>, Left>>(entity, key, without);

const KINDS = [
  { kind: 'text', types: [TextType] },
  { kind: 'integer', types: [BigIntType, IntegerType, SmallIntType] },
  { kind: 'number', types: [DoubleType] },
  { kind: 'bytes', types: [BlobType] },
] as const;

/** What a property's column holds, by the ORM's type of it. @throws Error for a type that no entity has had so far. */
function columnOf({ type, nullable = false }: PropertyDescription): Column {
  const found = KINDS.find(({ types }) => types.some((known) => type === known || type instanceof known));
  if (!found) throw new Error(`no column of rows is known for the type ${String(type)}`);
  return { kind: found.kind, nullable };
}

const TYPES: Readonly<Record<Kind, string>> = {
  text: 'text',
  integer: 'bigint',
  number: 'double precision',
  bytes: 'bytea',
};

/**
 * The text of an INSERT: of one row on SQLite; of any number on Postgres, an array a column.
 * @param changed properties that rows which exist get instead of failing the statement.
 */
export function insertText<Row>(
  table: Table<Row>,
  properties: readonly (keyof Row & string)[],
  changed: readonly (keyof Row & string)[] | undefined,
  dialect: Dialect,
): string {
  const columns = properties.map((property) => table.column(property));
  // In the list of a select, arrays are gone through element by element; behind `from` all rows would be copied first.
  const rows =
    dialect === 'sqlite'
      ? `values (${columns.map(() => '?').join(',')})`
      : `select ${properties.map((property, at) => `unnest($${at + 1}::${TYPES[table.kindOf(property)]}[])`).join(',')}`;
  const text = `insert into ${table.name} (${columns.join(',')}) ${rows}`;
  if (!changed) return text;
  const key = table.key.map((property) => table.column(property));
  const sets = changed.map((property) => `${table.column(property)}=excluded.${table.column(property)}`);
  return `${text} on conflict (${key.join(',')}) do update set ${sets.join(',')}`;
}
