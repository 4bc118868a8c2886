import { Injectable } from '@nestjs/common';
import type { CallerDirectory, Scope } from '@spandrel/kernel';
import { anyOf, nullable, shapeOf, Storage, text } from '@spandrel/storage';
import { AccessSettings } from '../access.settings.js';

const CALLER = shapeOf({ id: text(), email: nullable(text()) });

/** Who may review in a project: people by their roles, and keys (docs/spec/queue.md#assignment). */
@Injectable()
export class ReviewerDirectory implements CallerDirectory {
  constructor(
    private readonly storage: Storage,
    private readonly settings: AccessSettings,
  ) {}

  async findReviewers({ orgId, projectId }: Scope, names: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const emails = names.map((name) => name.toLowerCase());
    const rows = await this.storage.read(
      CALLER.query`select p.id as id, p.email as email from person p join member m on m.person_id = p.id
          where m.org_id = ${orgId} and (m.project_id is null or m.project_id = ${projectId}) and m.role <> 'viewer'
            and (${anyOf('p.id', names)} or ${anyOf('lower(p.email)', emails)})
        union select k.id as id, null as email from api_key k
          where k.project_id = ${projectId} and ${anyOf('k.id', names)}`,
    );
    // Nobody knows which tokens there are.
    const takesTokens = this.settings.jwtSecret !== null || this.settings.jwksUrl !== null;
    return new Map(
      names.flatMap((name, at) => {
        const found = rows.find(({ id, email }) => id === name || email?.toLowerCase() === emails[at]);
        return found || takesTokens ? [[name, found?.id ?? name] as const] : [];
      }),
    );
  }
}
