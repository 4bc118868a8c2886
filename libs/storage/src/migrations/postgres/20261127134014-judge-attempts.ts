import { Migration } from '@mikro-orm/migrations';

export class JudgeAttempts extends Migration {
  override up(): void {
    this.addSql('alter table "eval_attempt" add "judge_attempts" int null');
    this.addSql('alter table "eval_result" add "judge_attempts" int null');
    this.addSql('alter table "eval_sample" add "judge_attempts" int null');
  }
}
