import { Injectable } from '@nestjs/common';
import type { Scope } from '@spandrel/kernel';
import { forUpdate, Storage, tableOf, type WriteTx } from '@spandrel/storage';
import { SealedText, SealedTextSchema, type SealedTextRow } from '../connection.entity.js';
import { KeyRing, seal, unseal, UnsealError, type SealedFor } from './sealing.js';

const COLUMNS = tableOf(SealedTextSchema, ['projectId', 'id']).select('x');

/** What a secret text of a feature is sealed for. */
export const forText = ({ projectId }: Pick<Scope, 'projectId'>, id: string): SealedFor => ({
  projectId,
  id,
  use: 'text',
});

/** Secret texts of features, by the ids of what they belong to (docs/spec/connections.md#keys-are-encrypted). */
@Injectable()
export class SealedTexts {
  constructor(
    private readonly storage: Storage,
    private readonly ring: KeyRing,
  ) {}

  /** Keeps a text in place of the one that was there. */
  async put(tx: WriteTx, scope: Scope, id: string, text: string): Promise<void> {
    const { projectId } = scope;
    await tx.em.upsert(SealedText, { projectId, id, ...seal(text, this.ring.current, forText(scope, id)) });
  }

  /** @returns the text; `undefined` where there is none, or none that the keys of this server open. */
  async find(scope: Scope, id: string): Promise<string | undefined> {
    const row = await this.storage.find((em) => em.findOne(SealedText, { projectId: scope.projectId, id }));
    try {
      return row ? unseal(row, this.ring, forText(scope, id)) : undefined;
    } catch (error) {
      if (error instanceof UnsealError) return undefined;
      throw error;
    }
  }

  async delete(tx: WriteTx, { projectId }: Scope, id: string): Promise<void> {
    await tx.em.nativeDelete(SealedText, { projectId, id });
  }
}

/** Every sealed text of the database, whatever its project, locked until the transaction ends. */
export const allSealedTexts = (tx: WriteTx): Promise<SealedTextRow[]> =>
  tx.all(COLUMNS.query`select ${COLUMNS} from sealed_text x order by x.project_id, x.id${forUpdate('x')}`);

/** Writes a text that was sealed again. */
export async function saveSealedText(tx: WriteTx, { projectId, id, keyId, sealedKey }: SealedTextRow): Promise<void> {
  await tx.em.nativeUpdate(SealedText, { projectId, id }, { keyId, sealedKey });
}
