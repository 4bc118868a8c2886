import { Injectable } from '@nestjs/common';
import type { SealedText } from '@spandrel/kernel';
import {
  forUpdate,
  integer,
  shapeOf,
  sql,
  Storage,
  tableOf,
  text,
  type RowOfShape,
  type WriteTx,
} from '@spandrel/storage';
import { MaskingRulesSchema, type MaskingRulesRow } from './masking-rules.entity.js';

const TABLE = tableOf(MaskingRulesSchema, ['projectId']);
const COLUMNS = TABLE.select('r');
const SEALED = TABLE.select('r', ['projectId', 'keyId', 'sealedKey']);

const COUNT_BY_KEY = shapeOf({ keyId: text(), projects: integer() });

/** Rows of masking rules. They are read whatever features a server has, so not through the entity manager. */
@Injectable()
export class MaskingRulesStore {
  constructor(private readonly storage: Storage) {}

  async find(projectId: string): Promise<MaskingRulesRow | undefined> {
    const [row] = await this.storage.read(
      COLUMNS.query`select ${COLUMNS} from masking_rules r where r.project_id = ${projectId}`,
    );
    return row;
  }

  /** The row of a project, locked; `made` where the project has none, which is written then. */
  async lock(tx: WriteTx, made: Pick<MaskingRulesRow, 'projectId' | 'rules' | 'updatedAt'>): Promise<MaskingRulesRow> {
    const { projectId, rules, updatedAt } = made;
    await tx.run(
      sql`insert into masking_rules (project_id, rules, updated_at)
        values (${projectId}, ${rules}, ${updatedAt}) on conflict (project_id) do nothing`,
    );
    const [row] = await tx.all(
      COLUMNS.query`select ${COLUMNS} from masking_rules r where r.project_id = ${projectId}${forUpdate('r')}`,
    );
    return row!;
  }

  update(tx: WriteTx, row: MaskingRulesRow): Promise<void> {
    return tx.update(TABLE, [row], ['rules', 'keyId', 'sealedKey', 'updatedAt']);
  }

  /**
   * Gives a project its key of hashes unless it has one. In a transaction of its own.
   * @returns the key that it has now; `undefined` when the project has no rules any more.
   */
  giveKey(projectId: string, { keyId, sealedKey }: SealedText): Promise<SealedText | undefined> {
    return this.storage.write(async (tx) => {
      await tx.run(sql`update masking_rules set key_id = ${keyId}, sealed_key = ${sealedKey}
        where project_id = ${projectId} and key_id = ''`);
      const [row] = await tx.all(
        SEALED.query`select ${SEALED} from masking_rules r where r.project_id = ${projectId} and r.key_id <> ''`,
      );
      return row;
    });
  }

  /** How many keys of hashes, of all projects, are sealed with each secret key. */
  countByKey(): Promise<RowOfShape<typeof COUNT_BY_KEY>[]> {
    return this.storage.read(
      COUNT_BY_KEY.query`select r.key_id as "keyId", count(*) as projects from masking_rules r
        where r.key_id <> '' group by r.key_id`,
    );
  }
}

/** A sealed key of hashes; what a rotation needs of a row. */
export type SealedHashKey = Pick<MaskingRulesRow, 'projectId' | 'keyId' | 'sealedKey'>;

/** Every sealed key of hashes, whatever its project, locked until the transaction ends. */
export const allHashKeys = (tx: WriteTx): Promise<SealedHashKey[]> =>
  tx.all(
    SEALED.query`select ${SEALED} from masking_rules r where r.key_id <> '' order by r.project_id${forUpdate('r')}`,
  );

/** Writes a key of hashes that was sealed again; nothing else of the row changes. */
export const saveHashKey = (tx: WriteTx, { projectId, keyId, sealedKey }: SealedHashKey): Promise<unknown> =>
  tx.run(sql`update masking_rules set key_id = ${keyId}, sealed_key = ${sealedKey} where project_id = ${projectId}`);
