import { sql, type Sql } from '@spandrel/storage';

/** The datapoints of now, from `datapoint p`: current rows, those of an import once it is published. */
export const CURRENT: Sql = sql`p.to_version is null and (p.import_id is null or exists (
  select 1 from dataset_import i
  where i.project_id = p.project_id and i.id = p.import_id and i.published_version is not null))`;

/** The datapoints of a version of the dataset, from `datapoint p`. */
export const atVersion = (version: number): Sql => sql`(p.to_version is null or p.to_version > ${version})
  and p.from_version <= ${version} and (p.import_id is null or exists (
    select 1 from dataset_import i
    where i.project_id = p.project_id and i.id = p.import_id and i.published_version <= ${version}))`;
