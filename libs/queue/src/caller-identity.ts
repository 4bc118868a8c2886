import { createParamDecorator } from '@nestjs/common';

/**
 * Who makes the request, as `claimed_by` has it when the body names nobody (contract.md "Review queue"). Local mode
 * knows no logins: everybody is `local`.
 */
export const CallerIdentity = createParamDecorator((): string => 'local');
