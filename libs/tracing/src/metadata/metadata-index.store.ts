import { Injectable, type OnModuleInit } from '@nestjs/common';
import { isStorableText } from '@spandrel/contract';
import { anyOf, integer, shapeOf, sql, Storage, text } from '@spandrel/storage';
import { TracingSettings } from '../tracing.settings.js';
import { metadataValue } from './metadata-filter.sql.js';
import { METADATA_COLUMNS, NO_METADATA_VALUES, type MetadataColumn, type MetadataValues } from './metadata.entity.js';

const KEYS = shapeOf({ place: integer(), key: text(), complete: integer() })
  .query`select k.place as place, k.key as key, k.complete as complete from metadata_key k order by k.place`;

/** Longer values have no place in an index of Postgres, nor in a menu. */
const LENGTH_MAX = 256;

/** Characters of metadata that are parsed to be indexed. */
const PARSED_LENGTH_MAX = 4_096;

const fitsIndex = (value: string): boolean => value.length <= LENGTH_MAX && isStorableText(value);

/** A filter on metadata, and what of it columns answer. */
export type MetadataQuery = { metadata?: Readonly<Record<string, string>> | undefined } & {
  [Column in MetadataColumn]?: string | undefined;
};

/** Which keys of metadata have a column with an index, and what stands there (ADR 0079). */
@Injectable()
export class MetadataIndex implements OnModuleInit {
  private columns: ReadonlyMap<string, MetadataColumn> = new Map();
  /** Keys whose columns have all values. */
  private complete: ReadonlySet<string> = new Set();
  private readonly chosen: readonly string[];

  constructor(
    private readonly storage: Storage,
    { indexedMetadata }: TracingSettings,
  ) {
    this.chosen = [...new Set(indexedMetadata)];
  }

  /** Gives columns to keys that are new; those of keys that are no longer chosen are free, whatever stands there. */
  async onModuleInit(): Promise<void> {
    await this.storage.write(async (tx) => {
      const known = await tx.all(KEYS);
      const gone = known.flatMap(({ key }) => (this.chosen.includes(key) ? [] : key));
      if (gone.length > 0) await tx.run(sql`delete from metadata_key where ${anyOf('key', gone)}`);
      const kept = known.filter(({ key }) => this.chosen.includes(key));
      const free = METADATA_COLUMNS.keys().filter((place) => kept.every((one) => one.place !== place));
      for (const key of this.chosen) {
        if (kept.some((one) => one.key === key)) continue;
        await tx.run(sql`insert into metadata_key (key, place, complete) select ${key}, cast(${free.next().value!} as integer),
          case when exists (select 1 from trace) then 0 else 1 end where 1 = 1 on conflict (key) do nothing`);
      }
    });
    await this.findIncomplete();
  }

  /** Looks up what is complete by now. @returns the keys that are not. */
  async findIncomplete(): Promise<string[]> {
    const rows = (await this.storage.read(KEYS)).filter(({ key }) => this.chosen.includes(key));
    this.columns = new Map(rows.map(({ key, place }) => [key, METADATA_COLUMNS[place]!]));
    this.complete = new Set(rows.flatMap(({ key, complete }) => (complete === 1 ? key : [])));
    return rows.flatMap(({ key, complete }) => (complete === 1 ? [] : key));
  }

  async setComplete(keys: readonly string[]): Promise<void> {
    await this.storage.write((tx) => tx.run(sql`update metadata_key set complete = 1 where ${anyOf('key', keys)}`));
    await this.findIncomplete();
  }

  /** A trace or span with its columns as its metadata are. @returns the same row where they are so. */
  fillColumns<Row extends MetadataValues & { metadata: string | null }>(row: Row): Row {
    const { metadata } = row;
    const values = { ...NO_METADATA_VALUES };
    let parsed: Record<string, unknown> | undefined;
    for (const [key, column] of this.columns) {
      if (!metadata?.includes(JSON.stringify(key))) continue;
      // Short ones are parsed as a whole: that takes a fifth of the time of a search for each key.
      if (metadata.length <= PARSED_LENGTH_MAX) parsed ??= JSON.parse(metadata) as Record<string, unknown>;
      const text = parsed?.[key];
      const value = typeof text === 'string' ? text : metadataValue(metadata, key);
      if (value !== undefined && fitsIndex(value)) values[column] = value;
    }
    return METADATA_COLUMNS.every((column) => row[column] === values[column]) ? row : { ...row, ...values };
  }

  /** Takes what columns answer out of a filter on metadata; what is left is looked for in one trace or span after the other. */
  split<Query extends MetadataQuery>(query: Query): Query {
    if (query.metadata === undefined) return query;
    const indexed: MetadataQuery = {};
    const scanned: Record<string, string> = {};
    for (const [key, value] of Object.entries(query.metadata)) {
      const column = fitsIndex(value) ? this.columnOf(key) : undefined;
      if (column) indexed[column] = value;
      else scanned[key] = value;
    }
    return { ...query, ...indexed, metadata: Object.keys(scanned).length === 0 ? undefined : scanned };
  }

  /** The column that has all values of a key; `undefined` where none has. */
  columnOf(key: string): MetadataColumn | undefined {
    return this.complete.has(key) ? this.columns.get(key) : undefined;
  }
}
