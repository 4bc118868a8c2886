import { Body, Controller, Delete, Get, Param, Post, Put, Query, type Type } from '@nestjs/common';
import {
  boardListSchema,
  boardSchema,
  createBoardSchema,
  createViewSchema,
  deletedSchema,
  fromColumns,
} from '@spandrel/contract';
import { listBoardsSchema, listViewsSchema, savedViewSchema, updateBoardSchema } from '@spandrel/contract';
import { updateViewSchema, viewListSchema } from '@spandrel/contract';
import type { BoardFigure, BoardResource, CreateBoard, CreateView, Deleted, ListSaved } from '@spandrel/contract';
import type { UpdateBoard, UpdateView, ViewResource } from '@spandrel/contract';
import { listOf, Operation, PathId } from '@spandrel/http';
import { invalidRequest } from '@spandrel/kernel';
import type { z } from 'zod';
import { authorOf, CurrentTeammate, LOCAL_AUTHOR, type Teammate } from './author.js';
import type { SavedItemRow } from './collaboration.entity.js';
import {
  PRODUCT_BOARDS,
  savedNotFound,
  SavedItemStore,
  type SavedChanges,
  type SavedContent,
  type SavedKind,
} from './saved-item.store.js';

/** What the routes of views and those of boards do not have in common. */
interface SavedRules<Create, Update, Resource> {
  kind: SavedKind;
  name: string;
  schemas: Readonly<Record<'create' | 'update' | 'list' | 'answer' | 'listAnswer', z.ZodType>>;
  contentOf(by: Teammate, body: Create): SavedContent;
  changesOf(by: Teammate, body: Update): SavedChanges;
  resource(row: SavedItemRow): Resource;
}

function savedController<Create, Update, Resource>(rules: SavedRules<Create, Update, Resource>): Type {
  const { kind, name, schemas, resource } = rules;
  const [One, plural] = [kind === 'view' ? 'View' : 'Board', `${kind}s`];
  const problems = [`${kind}_not_found`] as const;
  const ItemId = () => Param('id', new PathId(() => savedNotFound(kind)));
  const answer = schemas.answer;

  @Controller(`api/${plural}`)
  class SavedItemsController {
    constructor(private readonly items: SavedItemStore) {}

    @Post()
    @Operation({ id: `create${One}`, access: 'write', summary: `${name}: make one`, answer })
    async create(@CurrentTeammate() by: Teammate, @Body({ schema: schemas.create }) body: Create): Promise<Resource> {
      return resource(await this.items.insert(by, kind, rules.contentOf(by, body)));
    }

    @Get()
    @Operation({ id: `list${One}s`, access: 'read', summary: `${name}s, oldest first`, answer: schemas.listAnswer })
    async list(@CurrentTeammate() by: Teammate, @Query({ schema: schemas.list }) query: ListSaved) {
      return listOf(plural, await this.items.list(by, kind, query), resource);
    }

    @Get(':id')
    @Operation({ id: `get${One}`, access: 'read', summary: `${name}: read one`, answer, problems })
    async read(@CurrentTeammate() by: Teammate, @ItemId() id: string): Promise<Resource> {
      return resource(await this.items.get(by, kind, id));
    }

    @Put(':id')
    @Operation({ id: `update${One}`, access: 'write', summary: `${name}: change one`, answer, problems })
    async update(
      @CurrentTeammate() by: Teammate,
      @ItemId() id: string,
      @Body({ schema: schemas.update }) body: Update,
    ): Promise<Resource> {
      return resource(await this.items.update(by, kind, id, rules.changesOf(by, body)));
    }

    @Delete(':id')
    @Operation({
      ...{ id: `delete${One}`, access: 'write', summary: `${name}: delete one`, answer: deletedSchema, problems },
      audited: [`${kind}.deleted`],
    })
    async delete(@CurrentTeammate() by: Teammate, @ItemId() id: string): Promise<Deleted> {
      await this.items.delete(by, kind, id);
      return { id, deleted: true };
    }
  }
  return SavedItemsController;
}

/** `/api/views`: addresses of pages with names (docs/spec/collaboration.md#saved-views). */
export const ViewsController = savedController<CreateView, UpdateView, ViewResource>({
  ...{ kind: 'view', name: 'Saved view' },
  schemas: {
    ...{ create: createViewSchema, update: updateViewSchema, list: listViewsSchema },
    ...{ answer: savedViewSchema, listAnswer: viewListSchema },
  },
  contentOf: (by, { name, page, query, scope }) => ({
    ...{ name, page, content: query, owner: ownerOf(scope, by), hidden: 0 },
  }),
  changesOf: (by, { name, query, scope }) => ({ name, content: query, owner: scope && ownerOf(scope, by) }),
  resource: viewResource,
});

/** @throws Invalid for a view of somebody alone in local mode. */
function ownerOf(scope: 'me' | 'project', { author }: Teammate): string | null {
  if (scope === 'project') return null;
  if (author.id !== LOCAL_AUTHOR) return author.id;
  throw invalidRequest([{ path: 'scope', message: 'must be project in local mode, where nobody signs in' }]);
}

/** `/api/boards`: figures that a project put together (docs/spec/collaboration.md#boards). */
export const BoardsController = savedController<CreateBoard, UpdateBoard, BoardResource>({
  ...{ kind: 'board', name: 'Board' },
  schemas: {
    ...{ create: createBoardSchema, update: updateBoardSchema, list: listBoardsSchema },
    ...{ answer: boardSchema, listAnswer: boardListSchema },
  },
  contentOf: (_by, { name, figures }) => ({
    ...{ name, page: '', content: JSON.stringify(figures), owner: null, hidden: 0 },
  }),
  changesOf: (_by, { name, figures, hidden }) => ({
    ...{ name, content: figures && JSON.stringify(figures), hidden: hidden === undefined ? hidden : Number(hidden) },
  }),
  resource: boardResource,
});

export function viewResource(row: SavedItemRow): ViewResource {
  return fromColumns(savedViewSchema, row, {
    page: row.page as ViewResource['page'],
    query: row.content,
    scope: row.owner === null ? 'project' : 'me',
    created_by: authorOf(row),
  });
}

export function boardResource(row: SavedItemRow): BoardResource {
  return fromColumns(boardSchema, row, {
    figures: JSON.parse(row.content) as BoardFigure[],
    built_in: PRODUCT_BOARDS.has(row.id),
    hidden: row.hidden !== 0,
    ...(row.createdAt === 0 ? { created_by: null, created_at: null } : { created_by: authorOf(row) }),
    ...(row.updatedAt === 0 && { updated_at: null }),
  });
}
