import { Migration } from '@mikro-orm/migrations';

export class JudgeAttempts extends Migration {
  override up(): void {
    this.addSql('alter table `eval_attempt` add column `judge_attempts` integer null');
    this.addSql('alter table `eval_result` add column `judge_attempts` integer null');
    this.addSql('alter table `eval_sample` add column `judge_attempts` integer null');
  }
}
