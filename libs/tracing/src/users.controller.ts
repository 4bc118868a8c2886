import { Controller, Get, Param, Query } from '@nestjs/common';
import {
  listUsersSchema,
  readUserSchema,
  userListSchema,
  userSchema,
  type ListUsers,
  type ReadUser,
} from '@spandrel/contract';
import { CurrentScope, Operation, listOf } from '@spandrel/http';
import { NotFound, type Scope } from '@spandrel/kernel';
import { UserListStore } from './listing/user-list.store.js';

/** `/api/users`; ids are compared exactly (docs/spec/users.md). */
@Controller('api/users')
export class UsersController {
  constructor(private readonly users: UserListStore) {}

  @Get()
  @Operation({
    access: 'read',
    summary: 'Users with what their traces come to, those seen last first unless sorted otherwise',
    answer: userListSchema,
    problems: ['range_too_large'],
  })
  async listUsers(@CurrentScope() scope: Scope, @Query({ schema: listUsersSchema }) query: ListUsers) {
    return listOf('users', await this.users.list(scope, query));
  }

  @Get(':user_id')
  @Operation({
    access: 'read',
    summary: 'What the traces of a user come to',
    answer: userSchema,
    problems: ['user_not_found', 'range_too_large'],
  })
  async getUser(
    @CurrentScope() scope: Scope,
    @Param('user_id') userId: string,
    @Query({ schema: readUserSchema }) query: ReadUser,
  ) {
    const user = await this.users.find(scope, userId, query);
    if (!user) throw new NotFound('user_not_found', 'no trace of this time has this user_id');
    return user;
  }
}
