/** Variables of CI systems, by what they say; the first that is there counts. */
const VARIABLES = {
  commit: [
    'GITHUB_SHA',
    'CI_COMMIT_SHA', // GitLab
    'BUILDKITE_COMMIT',
    'CIRCLE_SHA1',
    'BITBUCKET_COMMIT',
    'BUILD_SOURCEVERSION', // Azure Pipelines
    'DRONE_COMMIT_SHA', // also Woodpecker's
    'CI_COMMIT', // Semaphore's and others'
    'TRAVIS_COMMIT',
    'GIT_COMMIT', // Jenkins
  ],
  branch: [
    'GITHUB_HEAD_REF', // the branch of a pull request
    'GITHUB_REF_NAME',
    'CI_MERGE_REQUEST_SOURCE_BRANCH_NAME',
    'CI_COMMIT_REF_NAME',
    'BUILDKITE_BRANCH',
    'CIRCLE_BRANCH',
    'BITBUCKET_BRANCH',
    'SYSTEM_PULLREQUEST_SOURCEBRANCH',
    'BUILD_SOURCEBRANCHNAME',
    'DRONE_SOURCE_BRANCH',
    'DRONE_BRANCH',
    'TRAVIS_PULL_REQUEST_BRANCH',
    'TRAVIS_BRANCH',
    'CHANGE_BRANCH', // Jenkins, of a pull request
    'BRANCH_NAME',
    'GIT_BRANCH',
  ],
} as const;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * @param environment variables; those of the process when left out.
 * @returns `commit` and `branch` as the CI system says them, as far as it does; nothing elsewhere.
 */
export function ciMetadata(environment: Environment = readEnvironment()): { commit?: string; branch?: string } {
  const commit = VARIABLES.commit.map((name) => environment[name]).find(Boolean);
  const branch = VARIABLES.branch.map((name) => environment[name]).find(Boolean);
  return { ...(commit && { commit }), ...(branch && { branch: branch.replace(/^refs\/heads\//, '') }) };
}

/**
 * @param metadata texts of a run.
 * @returns what distinguishes it from other runs of its dataset where nobody named it: branch and commit (`main@3f2c1ab`), or
 *   where the commit is not known the time, in UTC to the second.
 */
export function nameRun({ branch, commit }: { branch?: string; commit?: string }, now = new Date()): string {
  if (!commit) return now.toISOString().replace(/\.\d+/, '');
  return `${branch ? `${branch}@` : ''}${commit.slice(0, 7)}`;
}

/** Not every runtime has variables, or lets a program read them. */
function readEnvironment(): Environment {
  try {
    return (globalThis as { process?: { env?: Environment } }).process?.env ?? {};
  } catch {
    return {};
  }
}
