import { Injectable } from '@nestjs/common';
import { forUpdate, sql, Storage, tableOf, type WriteTx } from '@spandrel/storage';
import { MaskingRulesSchema, type MaskingRulesRow } from './masking-rules.entity.js';

const TABLE = tableOf(MaskingRulesSchema, ['projectId']);
const COLUMNS = TABLE.select('r');

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
  async lock(tx: WriteTx, made: MaskingRulesRow): Promise<MaskingRulesRow> {
    const { projectId, rules, hashKey, updatedAt } = made;
    await tx.run(
      sql`insert into masking_rules (project_id, rules, hash_key, updated_at)
        values (${projectId}, ${rules}, ${hashKey}, ${updatedAt}) on conflict (project_id) do nothing`,
    );
    const [row] = await tx.all(
      COLUMNS.query`select ${COLUMNS} from masking_rules r where r.project_id = ${projectId}${forUpdate('r')}`,
    );
    return row!;
  }

  update(tx: WriteTx, row: MaskingRulesRow): Promise<void> {
    return tx.update(TABLE, [row], ['rules', 'updatedAt']);
  }
}
